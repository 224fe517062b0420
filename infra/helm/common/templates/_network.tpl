{{- define "common.service" -}}
{{- $ := .root -}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  labels:
    {{- include "common.labels" $ | nindent 4 }}
    uag/port: {{ .kind }}
  {{- with $.Values.serviceAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .headless }}
  # Callers see every replica's address and take turns themselves.
  clusterIP: None
  {{- end }}
  {{- if .always }}
  publishNotReadyAddresses: true
  {{- end }}
  selector:
    {{- include "common.selector" $ | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - name: {{ $name }}
      port: {{ $port.port }}
      targetPort: {{ $name }}
      # gRPC is inside TLS of its own, which a mesh must pass on as it is.
      appProtocol: {{ ternary "tls" "http" (eq $port.kind "grpc") }}
    {{- end }}
{{- end }}

{{- define "common.services" -}}
{{- $byKind := dict -}}
{{- range $name, $port := .Values.service.ports -}}
{{- $_ := set $byKind $port.kind (merge (dict $name $port) (index $byKind $port.kind | default dict)) -}}
{{- end -}}
{{- with $byKind.grpc }}
{{ include "common.service" (dict "root" $ "kind" "grpc" "name" (printf "%s-grpc" (include "common.name" $)) "ports" . "headless" true) }}
{{- end }}
{{- with $byKind.http }}
{{ include "common.service" (dict "root" $ "kind" "http" "name" (include "common.name" $) "ports" .) }}
{{- end }}
{{ include "common.service" (dict "root" $ "kind" "admin" "name" (printf "%s-admin" (include "common.name" $)) "ports" $byKind.admin "headless" true "always" true) }}
{{- end }}

{{- define "common.peerPods" -}}
podSelector:
  matchLabels:
    app.kubernetes.io/name: {{ .name }}
    app.kubernetes.io/part-of: {{ .fleet }}
{{- end }}

{{- define "common.edge" -}}
ports:
  - port: {{ .port }}
{{- with .to }}
to:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The edge to an engine, the fleet's own if it is bundled: (dict "root" $ "engine" "mongodb") */}}
{{- define "common.engineEdge" -}}
{{- $at := mergeOverwrite (deepCopy (index .root.Values .engine)) (index (.root.Values.global | default dict) .engine | default dict) }}
{{- if $at.bundled }}
{{- $pods := include "common.peerPods" (dict "name" .engine "fleet" (include "common.fleet" .root)) | fromYaml }}
{{- $at = dict "port" $at.port "to" (list $pods) }}
{{- end }}
{{- include "common.edge" $at }}
{{- end }}

{{- define "common.networkPolicy" -}}
{{- if .Values.networkPolicy.enabled }}
{{- $fleet := include "common.fleet" . }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "common.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "common.selector" . | nindent 6 }}
  # What is not named is denied, both ways.
  policyTypes: [Ingress, Egress]
  ingress:
    {{- with .Values.networkPolicy.monitoring }}
    - from:
        {{- toYaml . | nindent 8 }}
      ports:
        - port: admin
    {{- end }}
    {{- range $name, $port := .Values.service.ports }}
    {{- if $port.public }}
    - ports:
        - port: {{ $name }}
    {{- else if $port.from }}
    - from:
        {{- range $port.from }}
        - {{- include "common.peerPods" (dict "name" . "fleet" $fleet) | nindent 10 }}
        {{- end }}
      ports:
        - port: {{ $name }}
    {{- end }}
    {{- end }}
    {{- with .Values.networkPolicy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    {{- range $edge := .Values.service.calls }}
    - to:
        - {{- include "common.peerPods" (dict "name" $edge.service "fleet" $fleet) | nindent 10 }}
      ports:
        - port: {{ $edge.port }}
    {{- end }}
    {{- range $engine := list "mongodb" "nats" }}
    {{- if index $.Values.service $engine }}
    - {{- include "common.engineEdge" (dict "root" $ "engine" $engine) | nindent 6 }}
    {{- end }}
    {{- end }}
    {{- if include "common.mails" . }}
    - {{- include "common.edge" .Values.mail | nindent 6 }}
    {{- end }}
    {{- if or .Values.service.internet (.Values.settings | default dict).ARCHIVE_S3_ENDPOINT }}
    # Providers, users' URLs and S3; addresses inside the cluster and its clouds are nobody's URL.
    - to:
        - ipBlock:
            cidr: 0.0.0.0/0
            except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 169.254.0.0/16]
        - ipBlock:
            cidr: ::/0
            except: ["fc00::/7", "fe80::/10"]
      ports:
        - port: 443
        - port: 80
    {{- end }}
    {{- with .Values.networkPolicy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
