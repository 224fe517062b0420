{{- define "common.identity" -}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "common.metadata" . | nindent 2 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- if and .Values.service.peer (not .Values.tls.existingSecret) }}
{{- $tls := mergeOverwrite (deepCopy .Values.tls) (((.Values.global).tls) | default dict) }}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  {{- include "common.metadata" . | nindent 2 }}
spec:
  secretName: {{ include "common.tlsSecret" . }}
  commonName: {{ .Values.service.peer }}
  # Peers know each other by this name alone (infra/decisions/0006-identity.md).
  uris:
    - spiffe://{{ $tls.trustDomain }}/{{ .Values.service.peer }}
  usages: [digital signature, server auth, client auth]
  duration: {{ $tls.duration }}
  renewBefore: {{ $tls.renewBefore }}
  privateKey:
    algorithm: ECDSA
    size: 256
    encoding: PKCS8
    rotationPolicy: Always
  issuerRef:
    {{- toYaml $tls.issuerRef | nindent 4 }}
{{- end }}
{{- end }}
