{{- define "nats.members" -}}
{{- $name := include "common.name" . -}}
{{- range $ordinal := until (int .Values.replicaCount) }}
- {{ $name }}-{{ $ordinal }}.{{ $name }}
{{- end }}
{{- end }}

{{- define "nats.config" -}}
server_name: $POD_NAME
host: $POD_IP
port: 4222
http_port: 8222
pid_file: /run/nats/nats.pid
max_payload: 8MB
lame_duck_duration: {{ .Values.lameDuckSeconds }}s
lame_duck_grace_period: 5s
tls {
  {{- include "nats.tls" . | nindent 2 }}
  verify: true
}
jetstream {
  store_dir: /data
  # What is acknowledged is on disk.
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: {{ .Values.storage.maxFileStore }}
}
cluster {
  name: {{ include "common.name" . }}
  host: $POD_IP
  port: 6222
  # Clients know all servers by names, which are in the certificate as addresses are not.
  no_advertise: true
  tls {
    {{- include "nats.tls" . | nindent 4 }}
    # Services have certificates of the same authority: only those with a name below get in.
    verify_cert_and_check_known_urls: true
  }
  routes: [
    {{- range include "nats.members" . | fromYamlArray }}
    nats-route://{{ . }}:6222
    {{- end }}
  ]
}
include "../secrets/passwords.conf"
{{ .Files.Get "authorization.conf" }}
{{- end }}

{{- define "nats.tls" -}}
cert_file: /etc/nats/tls/tls.crt
key_file: /etc/nats/tls/tls.key
ca_file: /etc/nats/tls/ca.crt
{{- end }}
