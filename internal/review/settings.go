package review

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/crev-ratchet/crev/internal/gate"
)

// configure reads the configuration of the base, sets what this run was told, and
// chooses the limits of the gate.
func (j *job) configure() error {
	base, err := ReadConfig(j.baseTree)
	if err != nil {
		return err
	}
	cfg, keys, err := base.with(j.in.Set)
	if err != nil {
		return err
	}
	j.cfg = cfg
	j.limits, j.origins = gate.Resolve(gate.Chosen(cfg.Gate.Thresholds(), keys), gate.Differing(base.Gate.Thresholds()))
	return nil
}

// with sets keys of the configuration, each as gate.mode=enforce: names joined by
// dots, and a value in YAML. A later one wins. What the file would refuse is
// refused. The keys are those below gate that were set.
func (c Config) with(settings []string) (_ Config, gateKeys []string, err error) {
	if len(settings) == 0 {
		return c, nil, nil
	}
	for _, s := range settings {
		key, text, ok := strings.Cut(s, "=")
		if !ok || key == "" || strings.TrimSpace(text) == "" {
			return c, nil, fmt.Errorf("set %q: want KEY=VALUE, as gate.mode=enforce", s)
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return c, nil, fmt.Errorf("set %s: %w", key, refusal(err))
		}
		names := strings.Split(key, ".")
		for _, name := range slices.Backward(names) {
			value = map[string]any{name: value}
		}
		doc, err := yaml.Marshal(value)
		if err != nil {
			return c, nil, fmt.Errorf("set %s: %w", key, err)
		}
		dec := yaml.NewDecoder(bytes.NewReader(doc))
		dec.KnownFields(true)
		if err := dec.Decode(&c); err != nil {
			return c, nil, fmt.Errorf("set %s: %w", key, refusal(err))
		}
		if below, ok := value.(map[string]any)["gate"].(map[string]any); ok {
			gateKeys = slices.AppendSeq(gateKeys, maps.Keys(below))
		}
	}
	slices.Sort(gateKeys)
	if err := c.check(); err != nil {
		return c, nil, fmt.Errorf("set %s: %w", strings.Join(settings, ", "), err)
	}
	return c, slices.Compact(gateKeys), nil
}

// refusal says on one line why a setting was not taken. The decoder speaks of
// lines of a file and of types of this program.
func refusal(err error) error {
	if _, ok := errors.AsType[*yaml.TypeError](err); !ok {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if strings.Contains(err.Error(), " not found in type ") {
		return errors.New("there is no such key; they are in docs/configuration.md")
	}
	return errors.New("the value is of another kind; the keys are in docs/configuration.md")
}
