{{/* What the service reads: the chart's own addresses and folders, then the user's settings, which win. */}}
{{- define "common.settings" -}}
{{- $fleet := include "common.fleet" . -}}
{{- $env := dict -}}
{{- range $port := .Values.service.ports -}}
{{- $_ := set $env $port.setting ($port.port | toString) -}}
{{- end -}}
{{- range $setting, $address := .Values.service.addresses -}}
{{- $_ := set $env $setting (replace "FLEET" $fleet $address) -}}
{{- end -}}
{{- if .Values.service.peer -}}
{{- $_ := set $env "TLS_CERT_FILE" "/etc/uag/tls/tls.crt" -}}
{{- $_ := set $env "TLS_KEY_FILE" "/etc/uag/tls/tls.key" -}}
{{- $_ := set $env "TLS_CA_FILE" "/etc/uag/tls/ca.crt" -}}
{{- $tls := mergeOverwrite (deepCopy .Values.tls) (((.Values.global).tls) | default dict) -}}
{{- $_ := set $env "TLS_TRUST_DOMAINS" (concat (list $tls.trustDomain) $tls.acceptedTrustDomains | uniq | join ",") -}}
{{- end -}}
{{- if .Values.service.nats -}}
{{- $nats := mergeOverwrite (deepCopy .Values.nats) (((.Values.global).nats) | default dict) -}}
{{- $_ := set $env "NATS_URL" (ternary (include "common.bundledNats" .) $nats.url $nats.bundled) -}}
{{- $_ := set $env "NATS_USER" .Values.service.peer -}}
{{- if or $nats.mutualTls $nats.bundled -}}
{{- $_ := set $env "NATS_CERT_FILE" "/etc/uag/tls/tls.crt" -}}
{{- $_ := set $env "NATS_KEY_FILE" "/etc/uag/tls/tls.key" -}}
{{- $_ := set $env "NATS_CA_FILE" "/etc/uag/tls/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- if .Values.service.catalog -}}
{{- $_ := set $env "CATALOG_FILE" "/etc/uag/catalog/catalog.yaml" -}}
{{- end -}}
{{- if .Values.service.journal -}}
{{- $_ := set $env "JOURNAL_DIR" "/var/lib/uag/journal" -}}
{{- $_ := set $env "JOURNAL_KEEP" (ternary "on" "off" .Values.journal.keep) -}}
{{- end -}}
{{- if .Values.service.drains -}}
{{- $_ := set $env "DRAIN_MS" (mul .Values.drainSeconds 1000 | toString) -}}
{{- end -}}
{{- if or ((.Values.ingress).enabled) ((.Values.gateway).enabled) -}}
{{- $_ := set $env "TRUSTED_HOPS" "1" -}}
{{- end -}}
{{- if .Values.service.publicUrl -}}
{{- with include "common.publicUrl" . -}}
{{- $_ := set $env "PUBLIC_URL" . -}}
{{- end -}}
{{- end -}}
{{- if include "common.mails" . -}}
{{- $_ := set $env "SMTP_FROM" .Values.mail.from -}}
{{- $_ := set $env "MAIL_CONFIRMED_DOMAINS" (join "," .Values.mail.confirmedDomains) -}}
{{- end -}}
{{- range $setting := include "common.secretNames" . | fromYamlArray -}}
{{- $_ := set $env (printf "%s_FILE" $setting) (printf "/etc/uag/secrets/%s" $setting) -}}
{{- end -}}
{{- range $setting, $value := .Values.settings -}}
{{- $_ := set $env $setting ($value | toString) -}}
{{- end -}}
{{- toYaml $env -}}
{{- end }}

{{- define "common.env" -}}
# With the loopback address too, so that `kubectl port-forward` works.
- name: HOST
  value: {{ .Values.bindAddress | quote }}
{{- range $name, $value := include "common.settings" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
