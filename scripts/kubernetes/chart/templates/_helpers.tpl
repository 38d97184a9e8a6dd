{{- define "gate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{- define "gate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gate.labels" -}}
{{ include "gate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* Of a dict: an image of the values, and the chart. */ -}}
{{- define "gate.image" -}}
{{ .image.repository }}:{{ .image.tag | default .chart.AppVersion }}
{{- end }}

{{- /* Of a list: the root, and what follows the release's name. A name of a Service has 63 characters; one that would be longer
ends with what tells it from others that begin alike. */ -}}
{{- define "gate.part" -}}
{{- $whole := printf "%s-%s" (include "gate.name" (index . 0)) (index . 1) -}}
{{- if gt (len $whole) 63 -}}
{{- printf "%s-%s" (trunc 54 $whole | trimSuffix "-") ($whole | sha256sum | trunc 8) -}}
{{- else -}}{{- $whole -}}{{- end -}}
{{- end }}

{{- /* Seconds that a pod goes on to serve after it was told to end; nothing where the cluster has no such pause. */ -}}
{{- define "gate.pause" -}}
{{- if and (gt (int .Values.preStopSeconds) 0) (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version) -}}
{{ int .Values.preStopSeconds }}
{{- end -}}
{{- end }}

{{- define "gate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "gate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "gate.several" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}yes{{ end -}}
{{- end }}

{{- define "gate.store" -}}
{{- if or .Values.redis.urlSecret.name .Values.redis.trial.enabled }}yes{{ end -}}
{{- end }}

{{- /* Namespaces of tools that no Service may take: one of the document's own would have it refused as a whole. */ -}}
{{- define "gate.reserved" -}}
{{- $all := .Values.discovery.reserve -}}
{{- range .Values.config.upstreams -}}{{- with .namespace -}}{{- $all = append $all . -}}{{- end -}}{{- end -}}
{{- range .Values.stdioServers -}}{{- $all = append $all .name -}}{{- end -}}
{{- $all | uniq | join "," -}}
{{- end }}

{{- /* The variable in which the gateway has the token of a stdio server. */ -}}
{{- define "gate.stdioToken" -}}
STDIO_{{ .name | upper | replace "-" "_" }}_TOKEN
{{- end }}

{{- /* Whether gate-discovery is reached from outside of its pod: by its token only. */ -}}
{{- define "gate.discoveryToken" -}}
{{- if and .Values.discovery.enabled .Values.discovery.bearerSecret.name }}DISCOVERY_TOKEN{{ end -}}
{{- end }}

{{- /* The document: what the operator wrote, and what only the chart knows. */ -}}
{{- define "gate.document" -}}
{{- $d := deepCopy .Values.config -}}
{{- $name := include "gate.name" . -}}
{{- $server := deepCopy (get $d "server" | default dict) -}}
{{- $hosts := get $server "allowedHosts" | default list -}}
{{- if not (has "*" $hosts) -}}
{{- $own := list "localhost" "127.0.0.1" .Values.probes.host $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.%s" $name .Release.Namespace .Values.discovery.clusterDomain) -}}
{{- $_ := set $server "allowedHosts" (concat $hosts $own | uniq) -}}
{{- end -}}
{{- if .Values.redis.trial.enabled -}}
{{- $_ := set $server "redisUrl" (printf "redis://%s:6379/0" (include "gate.part" (list . "redis"))) -}}
{{- end -}}
{{- $_ := set $d "server" $server -}}
{{- $upstreams := get $d "upstreams" | default list -}}
{{- range .Values.stdioServers -}}
{{- $url := printf "http://%s.%s.svc.%s:8091/mcp" (include "gate.part" (list $ (printf "stdio-%s" .name))) $.Release.Namespace $.Values.discovery.clusterDomain -}}
{{- $auth := dict "strategy" "static" "secretRef" (include "gate.stdioToken" .) -}}
{{- $upstreams = append $upstreams (dict "id" .name "namespace" .name "url" $url "listsPerClient" true "auth" $auth) -}}
{{- end -}}
{{- $_ := set $d "upstreams" $upstreams -}}
{{- if .Values.discovery.enabled -}}
{{- $discovery := deepCopy (get $d "discovery" | default dict) -}}
{{- $_ := set $discovery "url" "http://127.0.0.1:8093/" -}}
{{- if not (hasKey $discovery "intervalMs") -}}{{- $_ := set $discovery "intervalMs" (int .Values.discovery.intervalMs) -}}{{- end -}}
{{- with include "gate.discoveryToken" . -}}{{- $_ := set $discovery "bearerSecretRef" . -}}{{- end -}}
{{- $_ := set $d "discovery" $discovery -}}
{{- end -}}
{{- toPrettyJson $d -}}
{{- end }}
