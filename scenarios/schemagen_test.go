package scenarios

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// The generator of scenario.schema.json. The shape comes from the structs of the format, the rest from the tables of
// fields. It lives in a test file so that the library that reads the structs is not part of the program.

// Patterns of the scalars, as in scalars.go but for what takes arithmetic.
const (
	anyCount    = `^(0|[1-9][0-9]*(_[0-9]+)*)$`
	anyDecimal  = `^([0-9]+(\.[0-9]+)?|\.[0-9]+)$`
	anyDuration = `^(([0-9]+(\.[0-9]+)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d))+$`
	anyRate     = `^([0-9][0-9_]*(\.[0-9]+)?|\.[0-9]+) ?/ ?(s|min|h|d)$`
	anyShare    = `^(0*(100(\.0+)?|[0-9]{0,2}\.[0-9]+|[0-9]{1,2})%|0*(0?\.[0-9]+|0|1(\.0+)?))$`

	shareBelowOne = `^(0*([0-9]{0,2}\.[0-9]+|[0-9]{1,2})%|0*(0?\.[0-9]+|0))$`
	wideShare     = `^(` + anyPercent + `|0*(100(\.0+)?|[0-9]{0,2}\.[0-9]+|[0-9]{1,2}))$`
	notZero       = `[1-9]`
	oneLine       = `^[^\x00-\x1f\x7f]*$`

	anyJitter = `^(none|full|equal|0*(100(\.0+)?|[0-9]{0,2}\.[0-9]+|[0-9]{1,2})%|\+0*(1000(\.0+)?|[0-9]{0,3}\.[0-9]+|[0-9]{1,3})%|` + anyPercent + `\.\.` + anyPercent + `|(([0-9]+(\.[0-9]+)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d))+)$`

	anyPercent = `0*(10000(\.0+)?|[0-9]{0,4}\.[0-9]+|[0-9]{1,4})%`
)

// tables say which fields a struct of the format has.
var tables = map[string][]Field{
	"Scenario": scenarioFields, "Arrivals": arrivalsFields, "Task": taskFields, "Limits": limitsFields,
	"Phase": phaseFields, "Ramp": rampFields, "Sine": sineFields, "Spike": spikeFields, "Clients": clientsFields, "Cron": cronFields,
	"Tier": tierFields, "Verdict": verdictFields,
	"Messages": messagesFields, "Broker": brokerFields, "Queue": queueFields, "Publish": publishFields, "Alert": alertFields,
	"Replay":     replayFields,
	"Downstream": downstreamFields, "RateLimit": rateLimitFields, "Outage": outageFields, "RampUp": rampUpFields,
	"QueueTimeout": queueTimeoutFields, "Place": placeFields, "Slowdown": slowdownFields, "WarmUp": warmUpFields,
	"Cache": cacheFields, "Pool": poolFields, "Crash": crashFields, "Liveness": livenessFields,
	"MeanCV": meanCVFields, "Uniform": uniformFields, "Bimodal": bimodalFields, "Normal": normalFields,
	"ExponentialLaw": distributionFields, "LognormalLaw": distributionFields, "GammaLaw": distributionFields,
	"UniformLaw": distributionFields, "BimodalLaw": distributionFields, "NormalLaw": distributionFields, "TraceLaw": startFields,
	"RetryAfter": retryAfterFields, "Poll": pollFields,
	"Entry": entryTable(), "Strategy": entryTable(),
}

// parts are the structs that stand where something else could, too.
var parts = []any{
	fileArrivals{}, fileClients{}, fileCron{}, fileRateLimit{}, fileRampUp{}, fileQueueTimeout{}, filePlace{}, fileSlowdown{},
	fileWarmUp{}, fileCache{}, filePool{}, fileCrash{}, fileLiveness{}, fileStrategy{}, fileExponentialLaw{}, fileLognormalLaw{},
	fileUniformLaw{}, fileGammaLaw{}, fileBimodalLaw{}, fileNormalLaw{}, fileTraceLaw{}, fileRetryAfter{}, filePoll{},
	fileBroker{}, filePublish{}, fileAlert{}, fileReplay{},
}

// unions say what a type of the format may hold, besides the words of its field, by the name of the type.
var unions = map[string]*jsonschema.Schema{
	"arrivalsMap": either(ref("Arrivals")...), "clientsMap": either(ref("Clients")...), "cronMap": either(ref("Cron")...),
	"limitMap": either(ref("RateLimit")...), "rampUpMap": either(ref("RampUp")...),
	"queueTimeoutMap": either(append(ref("QueueTimeout"), aboveZero(text(anyDuration)))...),
	"placeMap":        either(append(ref("Place"), aboveZero(text(anyDuration)))...),
	"slowdownMap":     either(ref("Slowdown")...), "warmUpMap": either(ref("WarmUp")...), "cacheMap": either(ref("Cache")...),
	"poolMap": either(ref("Pool")...), "crashMap": either(ref("Crash")...), "livenessMap": either(ref("Liveness")...),
	"retryAfterMap": either(ref("RetryAfter")...), "pollMap": either(ref("Poll")...), "presetMap": presetValue(),
	"brokerMap": either(ref("Broker")...), "onFailureMap": either(ref("Publish")...), "alertMap": either(ref("Alert")...),
	"replayMap":    either(ref("Replay")...),
	"tierStrategy": either(append(ref("Strategy"), &jsonschema.Schema{Type: "string", Enum: bareStrategies(tierKeys())})...),
}

// entryTable is all that an entry may have: its own fields, and one of the strategies.
func entryTable() []Field {
	fields := []Field{entryFields[0]}
	for _, k := range registry {
		fields = append(fields, Field{Key: k.Key, Kind: Map, Doc: k.Summary + "; wait: " + k.Formula})
	}
	fields = append(fields, Field{Key: presetKey, Kind: Map, Doc: "what a real client does by default, by its name; fields of its strategy may be overridden"})
	return append(fields, entryFields[1:]...)
}

func generateSchema() []byte {
	r := &jsonschema.Reflector{
		Anonymous: true, RequiredFromJSONSchemaTags: true,
		Namer:  func(t reflect.Type) string { return strings.TrimPrefix(t.Name(), "file") },
		Mapper: func(t reflect.Type) *jsonschema.Schema { return unions[t.Name()] },
	}
	root := r.Reflect(fileScenario{})
	for _, part := range parts {
		for name, def := range r.Reflect(part).Definitions {
			root.Definitions[name] = def
		}
	}
	for name, def := range root.Definitions {
		if fields, ok := tables[name]; ok {
			describe(def, fields)
		}
	}
	describeStrategies(root.Definitions)
	describeGuards(root.Definitions)
	exactlyOne(root.Definitions["Downstream"], "slots", "capacity")
	exactlyOne(root.Definitions["Outage"], "to", "for")
	exactlyOne(root.Definitions["Arrivals"], "rate", "phases", "trace")
	exactlyOne(root.Definitions["Phase"], "rate", "ramp", "sine", "spike")
	exactlyOne(root.Definitions["WarmUp"], "over", "requests")
	root.Definitions["Phase"].Not = &jsonschema.Schema{AllOf: []*jsonschema.Schema{present("to"), present("for")}}
	for _, law := range []string{"ExponentialLaw", "LognormalLaw", "GammaLaw", "UniformLaw", "BimodalLaw", "NormalLaw", "TraceLaw"} {
		def := root.Definitions[law]
		def.Required = []string{def.Properties.Oldest().Key}
	}
	somebody(root.Definitions["Scenario"])
	root.Title = "herdsim scenario"
	root.Description = "N workers lose a downstream of limited capacity and try again, each by some strategy"
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}

// describeStrategies completes the definitions of an entry and of a tier's strategy: one of the strategies, by its fields.
func describeStrategies(defs jsonschema.Definitions) {
	entry, ofTier := defs["Entry"], defs["Strategy"]
	for _, k := range registry {
		fields, _ := entry.Properties.Get(k.Key)
		describe(defs[strings.TrimPrefix(fields.AnyOf[0].Ref, "#/$defs/")], k.Fields)
		if k.Bare != "" { // the value of one field instead of the map
			for _, f := range k.Fields {
				if f.Key == k.Bare {
					fields.AnyOf = append(fields.AnyOf, values(f, nil))
				}
			}
		}
		one := &jsonschema.Schema{Required: []string{k.Key}}
		entry.OneOf = append(entry.OneOf, one)
		if k.build == nil {
			ofTier.Properties.Delete(k.Key)
			continue
		}
		ofTier.Properties.Set(k.Key, fields)
		ofTier.OneOf = append(ofTier.OneOf, one)
	}
	entry.OneOf = append(entry.OneOf, &jsonschema.Schema{Required: []string{presetKey}})
}

// exactlyOne demands one of the keys and no other of them; null is as if a key were not there.
func exactlyOne(def *jsonschema.Schema, keys ...string) {
	for _, key := range keys {
		def.OneOf = append(def.OneOf, present(key))
	}
}

// present demands that key is there, and not null.
func present(key string) *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set(key, &jsonschema.Schema{Not: &jsonschema.Schema{Type: "null"}})
	return &jsonschema.Schema{Required: []string{key}, Properties: properties}
}

// bareStrategies are those of the keys that may stand without a map of fields.
func bareStrategies(keys []string) []any {
	var names []any
	for _, key := range keys {
		if k := findStrategy(key); len(k.Fields) == 0 || !k.Fields[0].Required {
			names = append(names, key)
		}
	}
	return names
}

// aboveZero demands a digit other than 0.
func aboveZero(s *jsonschema.Schema) *jsonschema.Schema {
	s.AllOf = []*jsonschema.Schema{{Pattern: notZero}}
	return s
}

// describeGuards completes the definition of a guard: one of the kinds, by its fields or by the name of a preset.
func describeGuards(defs jsonschema.Definitions) {
	guard := defs["Guard"]
	describe(guard, guardFields)
	for _, k := range guardRegistry {
		p, _ := guard.Properties.Get(k.Key)
		name := strings.TrimPrefix(p.Ref, "#/$defs/")
		describe(defs[name], k.Fields)
		fields := either(ref(name)...)
		if names := guardPresets(k.Key); len(names) > 0 {
			preset := &jsonschema.Schema{Type: "string", Description: "a guard as a real client has it, which gives the fields that are not written"}
			for _, name := range names {
				preset.Enum = append(preset.Enum, name)
			}
			defs[name].Properties.Set(presetKey, either(preset, &jsonschema.Schema{Type: "null"}))
			fields = either(append(ref(name), &jsonschema.Schema{Type: "string", Enum: preset.Enum})...)
		}
		fields = either(fields, &jsonschema.Schema{Type: "null"})
		fields.Description = k.Summary + "; " + k.Rule
		guard.Properties.Set(k.Key, fields)
		guard.OneOf = append(guard.OneOf, &jsonschema.Schema{Required: []string{k.Key}})
	}
}

// somebody demands a herd or open traffic, and that only one place says how large the herd is: its workers, or, where there
// is a broker, which needs workers for consumers, its messages.
func somebody(def *jsonschema.Schema) {
	object := &jsonschema.Schema{Type: "object"}
	trace := &jsonschema.Schema{Type: "object", Required: []string{"trace"}}
	some := &jsonschema.Schema{Not: &jsonschema.Schema{Enum: []any{0, "0", nil}}}
	with := func(key string, s *jsonschema.Schema) *jsonschema.Schema {
		properties := jsonschema.NewProperties()
		properties.Set(key, s)
		return &jsonschema.Schema{Type: "object", Required: []string{key}, Properties: properties}
	}
	herd := func(counted, written *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{
				counted, with("arrivals", object), with("clients", object), with("cron", object), with("start", trace),
				with("strategies", &jsonschema.Schema{Items: with("start", trace)}),
			},
			Not: &jsonschema.Schema{AllOf: []*jsonschema.Schema{written, with("start", trace)}},
		}
	}
	messages, workers := with("messages", with("count", some)), with("workers", some)
	def.If = with("broker", object)
	def.Then = &jsonschema.Schema{AllOf: []*jsonschema.Schema{workers, herd(messages, messages)}}
	def.Else = &jsonschema.Schema{AllOf: []*jsonschema.Schema{herd(workers, with("workers", &jsonschema.Schema{Not: &jsonschema.Schema{Type: "null"}})), {Not: with("messages", object)}}}
}

// describe completes the properties of a definition by the table of its fields.
func describe(def *jsonschema.Schema, fields []Field) {
	for p := def.Properties.Oldest(); p != nil; p = p.Next() {
		for _, f := range fields {
			if f.Key != p.Key {
				continue
			}
			p.Value = property(f, p.Value)
			if f.Required {
				def.Required = append(def.Required, f.Key)
			}
		}
	}
}

// property is the schema of one field; shape is what the struct says of it.
func property(f Field, shape *jsonschema.Schema) *jsonschema.Schema {
	s := values(f, shape)
	if !f.Required { // null is as if the key were not there
		s = either(s, &jsonschema.Schema{Type: "null"})
	}
	s.Description = f.Doc
	if f.Default != "" {
		s.Default = defaultValue(f)
	}
	return s
}

func either(schemas ...*jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{}
	for _, s := range schemas {
		if len(s.AnyOf) > 0 {
			out.AnyOf = append(out.AnyOf, s.AnyOf...)
		} else {
			out.AnyOf = append(out.AnyOf, s)
		}
	}
	return out
}

func text(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern}
}

func ref(names ...string) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, name := range names {
		out = append(out, &jsonschema.Schema{Ref: "#/$defs/" + name})
	}
	return out
}

// values is what a field may hold besides null.
func values(f Field, shape *jsonschema.Schema) *jsonschema.Schema {
	words := &jsonschema.Schema{Type: "string"}
	for _, w := range f.Words {
		words.Enum = append(words.Enum, w)
	}
	var s *jsonschema.Schema
	switch f.Kind {
	case Count:
		low, high := f.countRange()
		s = either(&jsonschema.Schema{Type: "integer", Minimum: number(low), Maximum: number(high)}, text(anyCount))
	case Number:
		s = either(&jsonschema.Schema{Type: "number", Minimum: json.Number(f.Min), Maximum: json.Number(f.Max)}, text(anyDecimal))
	case Share:
		s = shareValue(f)
	case Duration:
		s = either(text(anyDuration))
		if f.Min != "" {
			s = either(aboveZero(text(anyDuration)))
		}
	case Rate:
		s = either(text(anyRate))
		if f.Min == "" {
			s = either(aboveZero(text(anyRate)))
		}
	case Jitter:
		return text(anyJitter)
	case Word:
		if f.hasWord("true") {
			return &jsonschema.Schema{Type: "boolean"}
		}
		if f.Key == "era" { // a version without quotes is a number to YAML
			versions := &jsonschema.Schema{Type: "number"}
			for _, w := range f.Words {
				versions.Enum = append(versions.Enum, json.Number(w))
			}
			return either(words, versions)
		}
		return words
	case Text:
		return textValue(f)
	case Distribution:
		return either(append([]*jsonschema.Schema{text(anyDuration)}, ref("ExponentialLaw", "LognormalLaw", "UniformLaw", "GammaLaw", "BimodalLaw", "NormalLaw")...)...)
	case Starting:
		return either(append([]*jsonschema.Schema{text(anyDuration)}, ref("NormalLaw", "ExponentialLaw", "TraceLaw")...)...)
	case Spreading:
		return either(append([]*jsonschema.Schema{text(anyDuration)}, ref("NormalLaw", "ExponentialLaw")...)...)
	case Map:
		s = either(shape)
	case List:
		return listValue(f, shape)
	}
	if len(words.Enum) > 0 {
		s = either(s, words)
	}
	return s
}

// shareValue is a share within the limits of its field.
func shareValue(f Field) *jsonschema.Schema {
	number, written := &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"}, text(anyShare)
	switch f.Max {
	case "":
	case mostShare:
		number.Maximum, written = "100", text(wideShare)
	default:
		number.Maximum, number.ExclusiveMaximum, written = "", "1", text(shareBelowOne)
	}
	if f.Min != "" {
		number.Minimum, number.ExclusiveMinimum, written = "", "0", aboveZero(written)
	}
	return either(number, written)
}

// presetValue is a name, or a map with the name and fields of the preset's strategy, which Load alone knows.
func presetValue() *jsonschema.Schema {
	names := &jsonschema.Schema{Type: "string"}
	for _, name := range presetNames() {
		names.Enum = append(names.Enum, name)
	}
	properties := jsonschema.NewProperties()
	properties.Set("name", names)
	return either(names, &jsonschema.Schema{Type: "object", Required: []string{"name"}, Properties: properties})
}

func number(n uint64) json.Number { return json.Number(strings.ReplaceAll(formatCount(n), "_", "")) }

// textValue is a text; YAML reads some texts as numbers, and that is no fault of the writer.
func textValue(f Field) *jsonschema.Schema {
	most, _ := parseCount(f.Max)
	s := &jsonschema.Schema{Type: "string", MaxLength: &most}
	switch f.Key {
	case "name":
		one := uint64(1)
		s.MinLength = &one
		s.Pattern = oneLine
		if f.Required {
			s.Pattern = namePattern.String()
		}
	case "trace":
		s.Pattern, s.Not = `^[^/\\:]+$`, &jsonschema.Schema{Enum: []any{}}
		for _, name := range outputs {
			s.Not.Enum = append(s.Not.Enum, name)
		}
	case "title":
		s.Pattern = oneLine
	}
	return either(s, &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "boolean"})
}

func listValue(f Field, shape *jsonschema.Schema) *jsonschema.Schema {
	most, _ := parseCount(f.Max)
	s := &jsonschema.Schema{Type: "array", Items: shape.Items, MaxItems: &most}
	one := uint64(1)
	switch f.Key {
	case "phases":
		s.MinItems = &one
	case "delays":
		s.Items, s.MinItems = text(anyDuration), &one
	case "guards":
		names := &jsonschema.Schema{Type: "string"}
		for _, k := range guardRegistry {
			names.Enum = append(names.Enum, k.Key)
		}
		s.Items = either(append([]*jsonschema.Schema{names}, ref("Guard")...)...)
	case "strategies":
		names := &jsonschema.Schema{Type: "string", Enum: bareStrategies(strategyKeys())}
		s.Items, s.MinItems = either(names, shape.Items), &one
	}
	return s
}

// defaultValue is the default in the type that YAML gives it.
func defaultValue(f Field) any {
	switch {
	case f.Kind == List:
		return []any{}
	case f.Kind == Word && f.hasWord("true"):
		return f.Default == "true"
	case (f.Kind == Count || f.Kind == Number) && !f.hasWord(f.Default):
		return json.Number(strings.ReplaceAll(f.Default, "_", ""))
	}
	return f.Default
}
