# The container shape of crev: docker/action.yml, or by hand
#   docker run --rm -v "$PWD:/repo" -w /repo IMAGE review --base main
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o /crev ./cmd/crev

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /crev /usr/local/bin/crev
# No USER: the runner mounts folders that only root may write. No shell in
# between: a shell drops environment variables with unusual names.
ENTRYPOINT ["/usr/local/bin/crev"]
CMD ["action"]
