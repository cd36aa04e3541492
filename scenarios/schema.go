package scenarios

import (
	_ "embed"
	"slices"
)

//go:embed scenario.schema.json
var schema []byte

// SchemaFile is the name under which files refer to the schema: it lies beside them.
const SchemaFile = "scenario.schema.json"

// Schema returns the JSON Schema (draft 2020-12) of scenario files, for editors and validators. It knows every key with
// its type, default and limits; what compares several keys, and what depends on how a value is written, only Load checks.
func Schema() []byte { return slices.Clone(schema) }
