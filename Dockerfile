# WarpLens in a container: docker build -t warplens . && docker run --rm -v "$PWD:/work" warplens run app.cu
# The package comes first: scripts/package.sh
FROM debian:12-slim
COPY build/release/package/warplens_*_amd64.deb /tmp/warplens.deb
RUN apt-get update && \
    apt-get install -y --no-install-recommends /tmp/warplens.deb clang-19 g++ && \
    rm -rf /tmp/warplens.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["warplens"]
