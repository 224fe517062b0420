#!/bin/sh
# Makes, once, what the services of infra/compose.yaml prove themselves with: an authority, a certificate for each
# service, every secret, and the folders of the journals. They stay in the volume; delete it to have others.
set -eu
journals=${2:?folder of the journals}
cd "${1:?folder of certificates and secrets}"
umask 077
mkdir -p authority secrets

# A release may add a secret, which earlier volumes do not have.
for name in KEY_PEPPER ADMIN_TOKEN CONSOLE_ADMIN_TOKEN FIRST_PASSWORD ANSWER_KEY ASSETS_SECRET WEBHOOK_KEY CREDENTIAL_KEY TOTP_KEY AUDIT_KEY RECEIPT_KEY; do
  test -e "secrets/$name" && continue
  openssl rand -hex 32 > "secrets/$name"
  chown 65532:65532 secrets "secrets/$name"
done
test -e made && exit 0

curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $curve -days 3650 -subj "/CN=AI gateway" -keyout authority/ca.key -out ca.crt \
  -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign

for service in router billing metering auditor notifications console chat embedding speech media video operator; do
  openssl req -new $curve -subj "/CN=$service" -keyout "$service.key" -out authority/request
  printf '%s\n' basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
    extendedKeyUsage=serverAuth,clientAuth "subjectAltName=URI:spiffe://gateway/$service" > authority/extensions
  openssl x509 -req -in authority/request -days 365 -CA ca.crt -CAkey authority/ca.key -CAcreateserial \
    -extfile authority/extensions -out "$service.crt"
done

keys=""
for service in chat embedding speech media video; do
  key=$(openssl rand -hex 32)
  printf '%s\n' "$key" > "secrets/USAGE_MAC_KEY.$service"
  keys="$keys,$service:$key"
done
printf '%s\n' "${keys#,}" > secrets/USAGE_MAC_KEYS

for service in chat embedding speech media video; do mkdir -p "$journals/$service"; done
# The services run as this user; the authority's key stays root's.
chown 65532:65532 "$journals"/*
chown 65532:65532 . secrets ca.crt ./*.key ./*.crt secrets/*
touch made
