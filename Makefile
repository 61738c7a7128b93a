# What .ci/run checks, one target at a time. `make` before every commit.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT  = github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
PLATFORMS   = linux-amd64 linux-arm64 darwin-amd64 darwin-arm64
FUZZTIME    = 10s

# The flags that make a build depend on the source and the Go version only.
BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w'

.PHONY: check fmt vet staticcheck test tidy actionlint fuzz bench build demo dist clean

check: fmt vet staticcheck test tidy

fmt:
	@out=$$(find . -name '*.go' -not -path '*/testdata/*' -exec gofmt -l {} +); test -z "$$out" || { echo "gofmt -w these:"; echo "$$out"; exit 1; }

vet:
	go vet ./...

staticcheck:
	go run $(STATICCHECK) ./...

test:
	go test -race -shuffle=on -timeout 18m ./...

tidy:
	go mod tidy -diff

actionlint:
	go run $(ACTIONLINT) .github/workflows/*.yml examples/workflows/*.yml

# Every fuzz test for FUZZTIME; plain `make test` runs their seeds only.
fuzz:
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' "$$pkg" | grep '^Fuzz' | while read -r name; do \
			echo "$$pkg $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
		done || exit 1; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

build:
	$(BUILD) -o bin/crev ./cmd/crev

demo:
	go run ./cmd/crev demo

# The files of a release and their checksums; see docs/releasing.md.
dist:
	@rm -rf dist && mkdir dist
	@for p in $(PLATFORMS); do \
		echo "dist/crev-$$p"; \
		GOOS=$${p%-*} GOARCH=$${p#*-} $(BUILD) -o dist/crev-$$p ./cmd/crev || exit 1; \
	done
	@cd dist && sha256sum crev-* > SHA256SUMS && cat SHA256SUMS

clean:
	rm -rf bin dist
