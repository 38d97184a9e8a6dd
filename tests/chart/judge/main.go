// judge GATE FILE...: are these manifests what a cluster takes, and what the chart promises? Each document is
// decoded strictly: by the types of k8s.io/api as client-go has them, or those below; an unknown field or a wrong type is an error. Then
// what no type says: rights, secrets, probes, selectors. GATE is the program that judges the document of
// the gateway; others that are started are beside it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// What the chart uses of the types of prometheus-operator.
type metricsEndpoint struct {
	Port        string `json:"port"`
	Path        string `json:"path"`
	Interval    string `json:"interval"`
	Relabelings []struct {
		TargetLabel string `json:"targetLabel"`
		Replacement string `json:"replacement"`
	} `json:"relabelings,omitempty"`
}

type serviceMonitor struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Selector  meta.LabelSelector `json:"selector"`
		Endpoints []metricsEndpoint  `json:"endpoints"`
	} `json:"spec"`
}

type podMonitor struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Selector  meta.LabelSelector `json:"selector"`
		Endpoints []metricsEndpoint  `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

type prometheusRule struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Groups []struct {
			Name     string `json:"name"`
			Interval string `json:"interval,omitempty"`
			Rules    []struct {
				Record      string            `json:"record,omitempty"`
				Alert       string            `json:"alert,omitempty"`
				Expr        string            `json:"expr"`
				For         string            `json:"for,omitempty"`
				Labels      map[string]string `json:"labels,omitempty"`
				Annotations map[string]string `json:"annotations,omitempty"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

func (m *serviceMonitor) DeepCopyObject() runtime.Object { return m }
func (m *podMonitor) DeepCopyObject() runtime.Object     { return m }
func (r *prometheusRule) DeepCopyObject() runtime.Object { return r }

// One release: all that one values file made.
type release struct {
	file        string
	wrong       []string
	documents   map[string]string // of config maps, by their names
	deployments []*apps.Deployment
	services    []*core.Service
	policies    []*networking.NetworkPolicy
	monitors    []*podMonitor
	roles       [][]rbac.PolicyRule
}

func (r *release) fail(format string, words ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf("%s: ", r.file)+fmt.Sprintf(format, words...))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func strictDecoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{core.AddToScheme, apps.AddToScheme, autoscaling.AddToScheme,
		networking.AddToScheme, policy.AddToScheme, rbac.AddToScheme} {
		must(add(scheme))
	}
	monitoring := schema.GroupVersion{Group: "monitoring.coreos.com", Version: "v1"}
	scheme.AddKnownTypeWithName(monitoring.WithKind("ServiceMonitor"), &serviceMonitor{})
	scheme.AddKnownTypeWithName(monitoring.WithKind("PodMonitor"), &podMonitor{})
	scheme.AddKnownTypeWithName(monitoring.WithKind("PrometheusRule"), &prometheusRule{})
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

func read(file string, decoder runtime.Decoder) *release {
	out := &release{file: filepath.Base(file), documents: map[string]string{}}
	text, err := os.ReadFile(file)
	must(err)
	count := 0
	for _, part := range strings.Split("\n"+string(text), "\n---\n") {
		raw, err := yaml.ToJSON([]byte(part))
		if err != nil {
			out.fail("no YAML: %v", err)
			continue
		}
		if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
			continue
		}
		count++
		object, kind, err := decoder.Decode([]byte(part), nil, nil)
		if err != nil {
			out.fail("%v: %v", kind, err)
			continue
		}
		out.take(object)
	}
	if count == 0 {
		out.fail("nothing was rendered")
	}
	return out
}

func (r *release) take(object runtime.Object) {
	switch o := object.(type) {
	case *core.ConfigMap:
		for name, text := range o.Data {
			if name == "gate.json" {
				r.documents[o.Name] = text
			}
		}
	case *core.Secret:
		r.fail("it renders the Secret %s: secrets are those that are there", o.Name)
	case *apps.Deployment:
		r.deployments = append(r.deployments, o)
	case *core.Service:
		r.services = append(r.services, o)
		if wrong := validation.IsDNS1035Label(o.Name); len(wrong) > 0 {
			r.fail("no Service may be called %s: %v", o.Name, wrong)
		}
	case *serviceMonitor:
		r.judgeMonitor(o)
	case *podMonitor:
		r.monitors = append(r.monitors, o)
		for _, e := range o.Spec.Endpoints {
			if job := e.Relabelings[0]; job.TargetLabel != "job" || !strings.HasPrefix(job.Replacement, "gate-discovery") {
				r.fail("no rule is of the job %s of the PodMonitor", job.Replacement)
			}
		}
	case *networking.NetworkPolicy:
		r.policies = append(r.policies, o)
		r.judgeEgress(o)
	case *rbac.Role:
		r.roles = append(r.roles, o.Rules)
	case *rbac.ClusterRole:
		r.roles = append(r.roles, o.Rules)
	case *core.ServiceAccount:
		if o.AutomountServiceAccountToken == nil || *o.AutomountServiceAccountToken {
			r.fail("the token of account %s is mounted by whoever uses it", o.Name)
		}
	}
}

// The jobs that scripts/monitoring/rules.yml is of: `gate`, and those that begin so, of which some are others' words.
var jobs = regexp.MustCompile(`^gate(-.+)?$`)

func (r *release) judgeMonitor(m *serviceMonitor) {
	for _, e := range m.Spec.Endpoints {
		job := m.Name // what prometheus-operator calls it: the Service
		for _, l := range e.Relabelings {
			if l.TargetLabel == "job" {
				job = l.Replacement
			}
		}
		if !jobs.MatchString(job) || job == "gate-stdio" || job == "gate-hooks" {
			r.fail("no rule is of the job %s of the ServiceMonitor", job)
		}
	}
}

// A block of addresses has, for some networks, no pods; and clouds hand out credentials at addresses of theirs.
func (r *release) judgeEgress(p *networking.NetworkPolicy) {
	for _, rule := range p.Spec.Egress {
		pods, world := false, false
		for _, to := range rule.To {
			pods = pods || to.NamespaceSelector != nil && len(to.NamespaceSelector.MatchLabels)+len(to.NamespaceSelector.MatchExpressions) == 0
			for block, without := range map[string]string{"0.0.0.0/0": "169.254.0.0/16", "::/0": "fd00:ec2::254/128"} {
				if to.IPBlock != nil && to.IPBlock.CIDR == block {
					world = true
					if !slices.Contains(to.IPBlock.Except, without) {
						r.fail("network policy %s lets pods have credentials of the cloud at %s", p.Name, without)
					}
				}
			}
		}
		if world && !pods {
			r.fail("network policy %s lets pods out by addresses alone, which are not those of pods", p.Name)
		}
	}
}

// --- pods --------------------------------------------------------------------------------------------------------

func yes(b *bool) bool { return b != nil && *b }
func no(b *bool) bool  { return b != nil && !*b }

func (r *release) judgePod(name string, pod core.PodSpec) {
	s := pod.SecurityContext
	if s == nil || !yes(s.RunAsNonRoot) || s.RunAsUser == nil || *s.RunAsUser == 0 || s.SeccompProfile == nil ||
		s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		r.fail("pod %s: not as another than root, or without a profile of seccomp", name)
	}
	if !no(pod.AutomountServiceAccountToken) {
		r.fail("pod %s: each of its containers has the account's token", name)
	}
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		r.fail("pod %s: it shares namespaces with its host", name)
	}
	for _, c := range pod.Containers {
		at := name + "/" + c.Name
		// An image of `make image` has the one program that it is called by.
		if program := path.Base(strings.Split(path.Base(c.Image), ":")[0]); strings.HasPrefix(program, "gate") &&
			(program != c.Name || !slices.Equal(c.Command, []string{"/usr/bin/" + c.Name})) {
			r.fail("container %s: the image %s does not have %v", at, c.Image, c.Command)
		}
		s := c.SecurityContext
		if s == nil || !yes(s.ReadOnlyRootFilesystem) || !no(s.AllowPrivilegeEscalation) || yes(s.Privileged) ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
			r.fail("container %s: it could write to its root, or has rights to lose", at)
		}
		if c.LivenessProbe == nil {
			r.fail("container %s: nobody notices that it hangs", at)
		}
		if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
			r.fail("container %s: no limit of memory, or no request", at)
		}
		for _, e := range c.Env {
			if e.Value != "" && e.Name != "HOME" {
				r.fail("container %s: %s has a value of its own; secrets come by reference", at, e.Name)
			}
			if e.ValueFrom != nil && (e.ValueFrom.SecretKeyRef == nil || e.ValueFrom.SecretKeyRef.Name == "" ||
				e.ValueFrom.SecretKeyRef.Key == "") {
				r.fail("container %s: %s is of no Secret", at, e.Name)
			}
		}
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
				r.fail("container %s: there is no volume %s", at, m.Name)
			}
			if m.MountPath == "/var/run/secrets/kubernetes.io/serviceaccount" && c.Name != "gate-discovery" {
				r.fail("container %s: it has the account's token", at)
			}
		}
	}
}

// --- the gateway -------------------------------------------------------------------------------------------------

// Options that a container's program does not have: it would not start. The programs are beside GATE.
func (r *release) judgeOptions(gate string, c core.Container) {
	help, err := exec.Command(filepath.Join(filepath.Dir(gate), c.Name), "--help").CombinedOutput()
	if err != nil {
		r.fail("container %s: its program can not be asked for its options: %v", c.Name, err)
		return
	}
	known := strings.Fields(string(help))
	for _, word := range c.Args {
		if word == "--" {
			return // what follows is another's
		}
		if strings.HasPrefix(word, "--") && !slices.Contains(known, word) {
			r.fail("container %s: its program has no option %s", c.Name, word)
		}
	}
}

// Names of variables that a document has: members whose names end with Ref.
func references(in any, out *[]string) {
	switch v := in.(type) {
	case map[string]any:
		for key, value := range v {
			if name, is := value.(string); is && strings.HasSuffix(key, "Ref") {
				*out = append(*out, name)
			}
			references(value, out)
		}
	case []any:
		for _, value := range v {
			references(value, out)
		}
	}
}

func (r *release) judgeGateway(gate string, d *apps.Deployment, c core.Container) {
	text, found := "", false
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil {
			text, found = r.documents[v.ConfigMap.Name], true
		}
	}
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); !found || err != nil {
		r.fail("the document of the gateway is none: %v", err)
		return
	}
	file := filepath.Join(must1(os.MkdirTemp("", "chart")), "gate.json")
	defer os.RemoveAll(filepath.Dir(file))
	must(os.WriteFile(file, []byte(text), 0o600))
	if said, err := exec.Command(gate, "--validate", "--config", file).CombinedOutput(); err != nil {
		r.fail("gate --validate refuses the document: %s", said)
	}
	var names []string
	references(document, &names)
	for _, name := range names {
		if !slices.ContainsFunc(c.Env, func(e core.EnvVar) bool { return e.Name == name }) {
			r.fail("the document names the variable %s, which no Secret gives: add it to secretEnv", name)
		}
	}
	r.judgeProbes(document, c)
	r.judgeDiscovery(document, d)
	r.judgeEnd(d, c)
}

// Calls have 10 s to end, and audit events 3, after the pause in which connections still come.
func (r *release) judgeEnd(d *apps.Deployment, c core.Container) {
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Sleep == nil {
		r.fail("the gateway ends while connections are still sent to it")
		return
	}
	grace := d.Spec.Template.Spec.TerminationGracePeriodSeconds
	if grace == nil || *grace < c.Lifecycle.PreStop.Sleep.Seconds+15 {
		r.fail("the gateway is killed before it has drained")
	}
}

func must1[T any](value T, err error) T {
	must(err)
	return value
}

func (r *release) judgeProbes(document map[string]any, c core.Container) {
	p := c.ReadinessProbe
	if p == nil || p.HTTPGet == nil {
		r.fail("the gateway has no readiness probe over HTTP")
		return
	}
	server, _ := document["server"].(map[string]any)
	var hosts []string
	for _, h := range asList(server["allowedHosts"]) {
		hosts = append(hosts, h.(string))
	}
	host := ""
	for _, h := range p.HTTPGet.HTTPHeaders {
		if h.Name == "Host" {
			host = h.Value
		}
	}
	if !slices.Contains(hosts, host) && !slices.Contains(hosts, "*") {
		r.fail("the probe names the Host %q, which is not among %v", host, hosts)
	}
	if p.TimeoutSeconds <= 5 || c.LivenessProbe == nil || c.LivenessProbe.TimeoutSeconds <= 6 {
		r.fail("probes do not wait for /health, which takes up to 5 s, and --healthcheck up to 6")
	}
	for _, s := range r.services {
		if s.Spec.Selector["app.kubernetes.io/component"] != "gateway" {
			continue
		}
		if !slices.Contains(hosts, s.Name) && !slices.Contains(hosts, "*") {
			r.fail("the gateway does not let in who calls it by its Service's name, %s", s.Name)
		}
	}
}

func asList(value any) []any {
	out, _ := value.([]any)
	return out
}

// What an option of gate-discovery lists.
func listed(d *apps.Deployment, option string) []string {
	for _, c := range d.Spec.Template.Spec.Containers {
		if at := slices.Index(c.Args, option); c.Name == "gate-discovery" && at >= 0 && at+1 < len(c.Args) {
			return strings.Split(c.Args[at+1], ",")
		}
	}
	return nil
}

func (r *release) judgeDiscovery(document map[string]any, d *apps.Deployment) {
	discovery, wants := document["discovery"].(map[string]any)
	has := slices.ContainsFunc(d.Spec.Template.Spec.Containers, func(c core.Container) bool { return c.Name == "gate-discovery" })
	if has && (!wants || discovery["url"] != "http://127.0.0.1:8093/") {
		r.fail("gate-discovery runs, and the gateway does not ask it")
	}
	var secrets []string
	for _, name := range asList(discovery["allowedSecretRefs"]) {
		secrets = append(secrets, name.(string))
	}
	if passed := listed(d, "--secret-refs"); has && !slices.Equal(passed, secrets) {
		r.fail("gate-discovery lets Services name the secrets %v, the gateway %v", passed, secrets)
	}
	for option, field := range map[string]string{"--upstream-hosts": "allowedUpstreamHosts", "--credential-hosts": "allowedCredentialHosts"} {
		var hosts []string
		for _, host := range asList(discovery[field]) {
			hosts = append(hosts, host.(string))
		}
		if passed := listed(d, option); has && !slices.Equal(passed, hosts) {
			r.fail("%s of gate-discovery is %v, %s of the gateway %v", option, passed, field, hosts)
		}
	}
	reserved := listed(d, "--reserve")
	for _, u := range asList(document["upstreams"]) {
		if space, is := u.(map[string]any)["namespace"].(string); has && is && !slices.Contains(reserved, space) {
			r.fail("a Service may take the namespace %s of the gateway's own upstream", space)
		}
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		if c.Name != "gate-discovery" {
			continue
		}
		for _, m := range r.monitors {
			for _, e := range m.Spec.Endpoints {
				if !slices.ContainsFunc(c.Ports, func(p core.ContainerPort) bool { return p.Name == e.Port }) {
					r.fail("no port of gate-discovery is called %s, which is scraped", e.Port)
				}
			}
		}
		if asked := slices.Contains(c.Args, "--bearer-env"); (len(c.Ports) > 0) != asked || asked != (discovery["bearerSecretRef"] == "DISCOVERY_TOKEN") ||
			asked != slices.ContainsFunc(c.Env, func(e core.EnvVar) bool { return e.Name == "DISCOVERY_TOKEN" }) {
			r.fail("gate-discovery is reached without the token that the gateway shows, or shows none")
		}
	}
	if has != (len(r.roles) == 1) {
		r.fail("gate-discovery: %t, roles: %d", has, len(r.roles))
	}
	for _, rules := range r.roles {
		if len(rules) != 1 || !slices.Equal(rules[0].APIGroups, []string{""}) || !slices.Equal(rules[0].Resources, []string{"services"}) ||
			!slices.Equal(rules[0].Verbs, []string{"list", "watch"}) || len(rules[0].ResourceNames) > 0 {
			r.fail("gate-discovery has other rights than to list and watch Services: %v", rules)
		}
	}
}

// --- who selects whom --------------------------------------------------------------------------------------------

func (r *release) selected(by map[string]string) int {
	count := 0
	for _, d := range r.deployments {
		if labels.SelectorFromSet(by).Matches(labels.Set(d.Spec.Template.Labels)) {
			count++
		}
	}
	return count
}

func (r *release) judgeSelectors() {
	for _, d := range r.deployments {
		if n := r.selected(d.Spec.Selector.MatchLabels); n != 1 {
			r.fail("deployment %s selects the pods of %d", d.Name, n)
		}
	}
	for _, s := range r.services {
		if n := r.selected(s.Spec.Selector); n != 1 {
			r.fail("service %s selects the pods of %d deployments", s.Name, n)
		}
	}
	for _, m := range r.monitors {
		if n := r.selected(m.Spec.Selector.MatchLabels); n != 1 {
			r.fail("pod monitor %s selects the pods of %d deployments", m.Name, n)
		}
	}
	for _, p := range r.policies {
		if n := r.selected(p.Spec.PodSelector.MatchLabels); n != 1 {
			r.fail("network policy %s selects the pods of %d deployments", p.Name, n)
		}
	}
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: judge GATE FILE...")
		os.Exit(2)
	}
	decoder := strictDecoder()
	failed := false
	for _, file := range os.Args[2:] {
		r := read(file, decoder)
		gateways := 0
		for _, d := range r.deployments {
			r.judgePod(d.Name, d.Spec.Template.Spec)
			for _, c := range d.Spec.Template.Spec.Containers {
				if strings.HasPrefix(c.Name, "gate") {
					r.judgeOptions(os.Args[1], c)
				}
				if c.Name == "gate" {
					gateways++
					r.judgeGateway(os.Args[1], d, c)
				}
			}
		}
		if gateways != 1 {
			r.fail("%d gateways", gateways)
		}
		r.judgeSelectors()
		for _, w := range r.wrong {
			fmt.Println(w)
		}
		failed = failed || len(r.wrong) > 0
	}
	if failed {
		os.Exit(1)
	}
}
