package finding

import (
	"crypto/sha256"
	"encoding/hex"
)

// classVersion is hashed into every class, so that a change of the normaliser
// is a new generation of classes and never a silent mix of two. Raise it with
// every change that gives an existing claim another normal form.
const classVersion = "crev-class/1"

// Class returns the class fingerprint of a claim: 16 hex digits of the SHA-256
// of its canonical text. Claims with the same class are sightings of one
// recurring problem, also across pull requests.
//
// The canonical text is the path and, where a reviewer gave both, the subject
// and predicate; else the claim itself, normalised in either case. The category
// is not hashed: two runs label one claim "security" and "bug", and a label
// that flips must not split a class (docs/ledger.md, "Classes"). It is a
// parameter because it belongs to the canonical claim and a later version may
// fold groups of labels.
func Class(path, _, subject, predicate, claim string) string {
	s, p := Normalize(subject), Normalize(predicate)
	if s == "" || p == "" {
		return fingerprint(classVersion, path, "claim", Normalize(claim))
	}
	return fingerprint(classVersion, path, "slots", s, p)
}

// FP0 returns 16 hex digits of the SHA-256 of path and normalised claim alone.
// It is kept beside the class for comparison with tools that count that way.
func FP0(path, claim string) string {
	return fingerprint(path, Normalize(claim))
}

// fingerprint hashes the parts so that no two lists of parts share their bytes:
// each part ends in a zero byte, which no part holds (git refuses it in paths
// and Normalize drops it).
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
