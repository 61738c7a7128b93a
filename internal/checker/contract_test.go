package checker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crev-ratchet/crev/internal/diff"
	"github.com/crev-ratchet/crev/internal/finding"
)

const openAPI = `openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      responses:
        "200": {description: the order}
        "404": {description: no such order}
    delete:
      operationId: removeOrder
      responses:
        "204": {description: gone}
  /health:
    get: {operationId: health}
components:
  schemas:
    Order:
      type: object
      required: [id, total]
    Error:
      type: object
`

const proto = `syntax = "proto3";
// message Comment { is none }
/* message Other {
} */
service Orders {
  rpc GetOrder(GetOrderRequest) returns (Order);
  rpc RemoveOrder(RemoveOrderRequest) returns (Empty) {
    option deadline = 1;
  }
}
message Empty {}
message Order
{
  message Line { string sku = 1; }
  repeated Line lines = 1;
}
enum State { OPEN = 0; }
`

func TestReadContract(t *testing.T) {
	t.Parallel()
	at := func(kind, name string, start, end int) Element {
		return Element{kind, name, diff.Range{Start: start, End: end}}
	}
	for name, tt := range map[string]struct {
		path, text string
		format     string
		want       []Element
	}{
		"OpenAPI": {"api/openapi.yaml", openAPI, "openapi", []Element{
			at("path", "/orders/{id}", 4, 13), at("operation", "getOrder", 5, 9), at("operation", "removeOrder", 10, 13),
			at("path", "/health", 14, 15), at("operation", "health", 15, 15), at("message", "Order", 18, 20), at("message", "Error", 21, 22)}},
		"Swagger as JSON": {"swagger.json", "{\n\"swagger\": \"2.0\",\n\"paths\": {\"/a\": {}},\n\"definitions\": {\n\"Thing\": {}\n}\n}\n", "openapi",
			[]Element{at("path", "/a", 3, 3), at("message", "Thing", 5, 7)}},
		"JSON Schema": {"s/order.schema.json", "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"Order\",\n\"$defs\": {\n\"line\": {}}}\n",
			"json-schema", []Element{at("file", "order.schema.json", 1, 5), at("message", "Order", 1, 5), at("message", "line", 5, 5)}},
		"Protocol Buffers": {"o.proto", proto, "proto", []Element{
			at("operation", "Orders", 5, 10), at("operation", "GetOrder", 6, 6), at("operation", "RemoveOrder", 7, 9), at("message", "Empty", 11, 11),
			at("message", "Order", 12, 16), at("message", "Line", 14, 14), at("message", "State", 17, 17)}},
		"an ordinary YAML file": {"config.yaml", "a: 1\n", "", nil},
		"no YAML":               {"api.yaml", "\t{", "", nil},
		"a list":                {"api.json", "[1]", "", nil},
		"nothing":               {"api.yaml", "", "", nil},
		"minified":              {"openapi.json", `{"openapi":"3.0.0","x":"` + strings.Repeat("x", maxContractLine) + `"}`, "", nil},
		"too large":             {"openapi.yaml", openAPI + strings.Repeat("# x\n", maxContract/4), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := ReadContract(tt.path, []byte(tt.text))
			if ok != (tt.want != nil) || got.Format != tt.format {
				t.Fatalf("ReadContract: %v, %q; want %q", ok, got.Format, tt.format)
			}
			if d := cmp.Diff(tt.want, got.Elements); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Whatever a file holds, its elements lie inside of it and in order.
func FuzzReadContract(f *testing.F) {
	f.Add("a.yaml", openAPI)
	f.Add("a.proto", proto)
	f.Add("a.json", `{"openapi":1,"paths":{"/a":{"get":{"operationId":"x"}},"/a":{}}}`)
	f.Add("a.yaml", "openapi: &a 3\npaths: *a\n")
	f.Add("a.yaml", "openapi: 3\npaths: {? [a] : {}, <<: {get: {operationId: b}}}\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		k, ok := ReadContract(path, []byte(text))
		if ok != (len(k.Elements) > 0) {
			t.Errorf("ok is %v with %d elements", ok, len(k.Elements))
		}
		n := len(linesOf([]byte(text)))
		for i, e := range k.Elements {
			if e.Start < 1 || e.End < e.Start || e.End > n+1 || i > 0 && e.Start < k.Elements[i-1].Start {
				t.Errorf("element %+v of a text of %d lines", e, n)
			}
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	path := func(name string) Element { return Element{Kind: "path", Name: name} }
	word := func(name string) Element { return Element{Kind: "message", Name: name} }
	for name, tt := range map[string]struct {
		line string
		e    Element
		want bool
	}{
		"an operation":             {`id := createOrder(ctx)`, word("createOrder"), true},
		"in another case":          {`def create_order(self):`, word("CreateOrder"), true},
		"of a package":             {`pb.CreateOrder(x)`, word("CreateOrder"), true},
		"part of another word":     {`recreateOrders()`, word("createOrder"), false},
		"a word of every code":     {`return Error{}`, word("Error"), false},
		"too short":                {`id := 1`, word("id"), false},
		"a route":                  {`mux.Handle("GET /orders/{id}", h)`, path("/orders/{id}"), true},
		"a route with a colon":     {`r.get('/orders/:id')`, path("/orders/{orderId}"), true},
		"a route with a prefix":    {`fetch("/api/v1/orders/" + id)`, path("/orders"), true},
		"the server has a prefix":  {`r.Post("/orders")`, path("/v1/orders"), true},
		"a formatted route":        {`fmt.Sprintf("/orders/%s", id)`, path("/orders/{id}"), true},
		"another route":            {`r.Get("/orders/{id}/lines")`, path("/orders/{id}"), false},
		"a package is no route":    {`import "example.com/shop/orders"`, path("/orders"), false},
		"nothing but a parameter":  {`r.Get("/{id}")`, path("/{id}"), false},
		"the end of another route": {`"/reorders"`, path("/orders"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &diff.File{Hunks: []diff.Hunk{{Lines: []diff.Line{{Op: diff.Add, Text: tt.line}, {Op: diff.Context, Text: "createOrder /orders/{id}"}}}}}
			if got := newVocabulary([]Element{tt.e}).namedBy(f)[0]; got != tt.want {
				t.Errorf("%s names %q: %v, want %v", tt.line, tt.e.Name, got, tt.want)
			}
		})
	}
}

const handler = `package orders

func Get(w http.ResponseWriter, r *http.Request) {
	o, ok := find(r.PathValue("id"))
	if !ok {
		w.WriteHeader(500)
		return
	}
	write(w, o)
}

func init() { mux.Handle("GET /orders/{id}", Get) }
`

func contractChange(order ...string) Change {
	return changed(map[string]string{"api/openapi.yaml": openAPI, "orders.go": handler, "README.md": "GET /orders/{id}\n", "list.go": "package orders\n"}, order...)
}

func TestContractsOf(t *testing.T) {
	t.Parallel()
	tree := []string{"README.md", "api/openapi.yaml", "list.go", "orders.go"}
	for name, tt := range map[string]struct {
		changed  []string
		elements []string
		code     []string
	}{
		"code that names a route":                 {[]string{"orders.go"}, []string{"/orders/{id}"}, []string{"orders.go"}},
		"other code stays out":                    {[]string{"list.go", "orders.go"}, []string{"/orders/{id}"}, []string{"orders.go"}},
		"code that names nothing":                 {[]string{"list.go"}, nil, nil},
		"text that names a route":                 {[]string{"README.md"}, nil, nil},
		"a changed contract without code":         {[]string{"api/openapi.yaml"}, []string{"/orders/{id}", "/health", "Order", "Error"}, nil},
		"a changed contract, all code, its first": {[]string{"api/openapi.yaml", "list.go", "orders.go"}, []string{"/orders/{id}", "/health", "Order", "Error"}, []string{"orders.go", "list.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := contractChange(tt.changed...)
			cs, ok := ContractsOf(FindContracts(tree, c), c)
			var elements, code []string
			for _, k := range cs.Contracts {
				for _, e := range k.Elements {
					elements = append(elements, e.Name)
				}
			}
			for _, f := range cs.Code {
				code = append(code, f.Path())
			}
			if d := cmp.Diff([][]string{tt.elements, tt.code}, [][]string{elements, code}); d != "" {
				t.Errorf("elements and code, -want +got\n%s", d)
			}
			if want := tt.elements != nil && tt.code != nil; ok != want {
				t.Errorf("a request is made: %v, want %v", ok, want)
			}
		})
	}
}

func TestFindContractsOpensWhatMayBeOne(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"api/openapi.yaml": openAPI, "x/y.proto": proto, "docs/thing.yaml": openAPI, "package.json": openAPI,
		".crev/api.yaml": openAPI, "changed.yaml": openAPI, "api/notes.yaml": "a: 1\n",
	}
	var opened []string
	c := changed(files, "changed.yaml")
	text := c.Text
	c.Text = func(p string) []byte { opened = append(opened, p); return text(p) }
	var found []string
	for _, k := range FindContracts(slices.Sorted(maps.Keys(files)), c) {
		found = append(found, k.Path)
	}
	if d := cmp.Diff([]string{"api/openapi.yaml", "changed.yaml", "x/y.proto"}, found); d != "" {
		t.Errorf("found, -want +got\n%s", d)
	}
	if d := cmp.Diff([]string{"api/notes.yaml", "api/openapi.yaml", "changed.yaml", "x/y.proto"}, opened); d != "" {
		t.Errorf("opened, -want +got\n%s", d)
	}
}

func TestReadContractCheck(t *testing.T) {
	t.Parallel()
	entry := func(change func(map[string]any)) string {
		m := map[string]any{
			"contract_path": "api/openapi.yaml", "contract_quote": `"404": {description: no such order}`,
			"code_path": "orders.go", "code_quote": "w.WriteHeader(500)", "severity": "medium",
			"claim": "An order that is not there is answered with 500.", "subject": "404", "predicate": "is not sent",
			"detail": "Callers retry.", "criteria": []string{"404 is sent."},
		}
		change(m)
		b, err := json.Marshal(map[string]any{"mismatches": []any{m}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	same := func(map[string]any) {}
	set := func(key, value string) func(map[string]any) { return func(m map[string]any) { m[key] = value } }
	at := func(path, quote string, line int, evidence string) []finding.Finding {
		return []finding.Finding{{
			Source: "contract", Category: "api", Severity: finding.Medium, Side: finding.Right, Path: path, Quote: quote, StartLine: line, EndLine: line,
			Claim: "An order that is not there is answered with 500.", Subject: "404", Predicate: "is not sent", Detail: "Callers retry.",
			Criteria: []string{"404 is sent."}, Evidence: []string{evidence}, Tier: finding.Advisory,
		}}
	}
	no := func(reason string) []Refused {
		return []Refused{{Claim: "An order that is not there is answered with 500.", Path: "orders.go", Reason: reason}}
	}
	for name, tt := range map[string]struct {
		changed []string
		edit    func(map[string]any)
		want    []finding.Finding
		refused []Refused
	}{
		"the code changed": {[]string{"orders.go"}, same,
			at("orders.go", "w.WriteHeader(500)", 6, `The contract at api/openapi.yaml:9 says: "404": {description: no such order}`), nil},
		"the contract changed": {[]string{"api/openapi.yaml", "list.go"}, same,
			at("api/openapi.yaml", `"404": {description: no such order}`, 9, `The code at orders.go:6 says: w.WriteHeader(500)`), nil},
		"the contract does not say so":   {[]string{"orders.go"}, set("contract_quote", `"410": {}`), nil, no("its quote is not in the contract")},
		"the code does not say so":       {[]string{"orders.go"}, set("code_quote", `w.WriteHeader(501)`), nil, no("its quote is not in the code")},
		"an empty quote":                 {[]string{"orders.go"}, set("code_quote", ` `), nil, no("its quote is not in the code")},
		"a file that is no contract":     {[]string{"orders.go"}, set("contract_path", "orders.go"), nil, no("it names no contract that was shown")},
		"a contract that does not exist": {[]string{"orders.go"}, set("contract_path", "../x.yaml"), nil, no("it names no contract that was shown")},
		"neither is part of the change":  {[]string{"list.go"}, same, nil, no("neither the contract's lines nor the code's are part of the change")},
		"the contract against itself": {[]string{"api/openapi.yaml"}, func(m map[string]any) {
			m["code_path"] = "api/openapi.yaml"
		}, nil, []Refused{{Claim: "An order that is not there is answered with 500.", Path: "api/openapi.yaml", Reason: "it quotes the contract as the code"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := contractChange(tt.changed...)
			k, ok := ReadContract("api/openapi.yaml", []byte(openAPI))
			if !ok {
				t.Fatal("no contract")
			}
			cs := ContractCase{Contracts: []Contract{k}, Code: c.Files}
			got, refused, err := ReadContractCheck(reply(t, ContractCheck("m", "fence", cs, c).Schema, entry(tt.edit)), cs, c)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if d := cmp.Diff(tt.refused, refused); d != "" {
				t.Errorf("refused, -want +got\n%s", d)
			}
		})
	}
}

func TestContractCheckPrompt(t *testing.T) {
	t.Parallel()
	c := contractChange("orders.go")
	cs, ok := ContractsOf(FindContracts([]string{"api/openapi.yaml"}, c), c)
	if !ok {
		t.Fatal("nothing to compare")
	}
	golden(t, "contract", ContractCheck("m", "fence", cs, c))
}

// What does not fit is left out by pieces, and the request says so.
func TestContractCheckIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{"api/openapi.yaml": openAPI, "a.go": handler, "b.go": handler + strings.Repeat("// x\n", maxCodeShown/5)}
	c := changed(files, "a.go", "b.go")
	cs, _ := ContractsOf(FindContracts([]string{"api/openapi.yaml"}, c), c)
	text := ContractCheck("m", "fence", cs, c).Messages[0].Content
	if len(text) > maxContractShown+maxCodeShown || !strings.Contains(text, "changed code in a.go") ||
		strings.Contains(text, "changed code in b.go") || !strings.Contains(text, "Left out for length: 1 pieces.") {
		t.Errorf("%d bytes: %.3000s", len(text), text)
	}
}

// BenchmarkContracts is a change of 300 files and 20,000 lines beside a contract of
// 2,000 routes.
func BenchmarkContracts(b *testing.B) {
	files := map[string]string{}
	var contract strings.Builder
	contract.WriteString("openapi: 3.1.0\npaths:\n")
	for i := range 2000 {
		fmt.Fprintf(&contract, "  /shops/{shop}/things%d/{id}:\n    get:\n      operationId: getThing%d\n", i, i)
	}
	files["api/openapi.yaml"] = contract.String()
	var order []string
	for i := range 300 {
		name := fmt.Sprintf("shop/handler%03d.go", i)
		files[name] = strings.Repeat(fmt.Sprintf("\tmux.Handle(\"GET /shops/{shop}/items%d/{id}\", getItem(%d, store, log))\n", i, i), 67)
		order = append(order, name)
	}
	c := changed(files, order...)
	tree := append([]string{"api/openapi.yaml"}, order...)
	for b.Loop() {
		ContractsOf(FindContracts(tree, c), c)
	}
}
