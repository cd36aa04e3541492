package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"

	"herdsim/sim"
)

// encodePreset writes the preset of an entry, with the fields of its strategy that the entry has overridden.
func encodePreset(e Entry) json.RawMessage {
	p, ok := FindPreset(e.Preset)
	if !ok {
		panic("scenarios: no preset " + e.Preset)
	}
	now, before := paramsOf(e), paramsOf(p.Entry)
	var fields bytes.Buffer
	add := func(key string, value *node) {
		text := value.text
		if value.quoted || value.kind != scalar {
			text = string(value.json())
		}
		fmt.Fprintf(&fields, ",%q:%s", key, text)
	}
	for _, f := range findStrategy(e.Key).Fields {
		is, was := now.get(f.Key), before.get(f.Key)
		switch {
		case is != nil && (was == nil || !bytes.Equal(is.json(), was.json())):
			add(f.Key, is)
		case is == nil && was != nil:
			add(f.Key, &node{text: f.Default, quoted: true})
		}
	}
	name, _ := json.Marshal(e.Preset)
	if fields.Len() == 0 {
		return name
	}
	return json.RawMessage(fmt.Sprintf(`{"name":%s%s}`, name, fields.String()))
}

// paramsOf returns the fields of the strategy of an entry as they are written.
func paramsOf(e Entry) *node {
	text, err := json.Marshal(encodeStrategy(e.Strategy))
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	root, _ := parseJSON(newSource("", nil), text)
	return root.get(e.Key)
}

// json writes a scalar or a list of scalars.
func (n *node) json() []byte {
	if n.kind == list {
		parts := make([][]byte, len(n.items))
		for i, item := range n.items {
			parts[i] = item.json()
		}
		return append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
	}
	if !n.quoted {
		return []byte(n.text)
	}
	text, err := json.Marshal(n.text)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	return text
}

// encodePoll writes a poller; where there is none it is left out, or none if the entry has taken away that of its preset.
func encodePoll(e Entry) any {
	switch p := e.Poll; {
	case p.Every > 0:
		return filePoll{encodeDuration(p.Every), encodeShare(p.Jitter), uint64(max(p.Processes, 1))}
	case e.Preset != "":
		if preset, _ := FindPreset(e.Preset); preset.Entry.Poll.Every > 0 {
			return wordText(none)
		}
	}
	return nil
}

func encodeRetryAfter(e Entry) any {
	switch {
	case e.IgnoreRetryAfter:
		return wordText("ignore")
	case e.RetryAfter != sim.RetryAfter{}:
		return fileRetryAfter{encodeOptional(e.RetryAfter.Most), encodeShare(e.RetryAfter.Jitter)}
	}
	return wordText("honor")
}
