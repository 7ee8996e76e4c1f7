import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operators, type FieldTypeName, type Operator } from '@kontor/contract'
import { fieldTypeNotes } from './field-type-notes.ts'
import { anchorOf } from './page.ts'
import { inCell, tableOf } from './tables.ts'

/** A type with what a server answered about it; `tests/guides/field-types.test.ts` writes the file. */
type Sample = {
  readonly name: FieldTypeName
  readonly schema: object
  readonly forms: readonly { readonly sent: unknown; readonly returned: unknown }[]
  readonly operators: readonly Operator[]
  readonly sorted: readonly unknown[] | null
  readonly upsert: { readonly stored: unknown; readonly sent: unknown; readonly returned: unknown }
}

export const fieldTypeSamples: readonly Sample[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'field-types.json'), 'utf8'),
) as readonly Sample[]

const operatorText = (operator: Operator): string => `\`${operator}\` (${operators[operator].join(', ')})`

const titleOf = (name: FieldTypeName): string => `${fieldTypeNotes[name].title}: ${name}`

/** Returns a link to the description of a field type. */
export const fieldTypeLink = (name: FieldTypeName): string =>
  `[\`${name}\`](/docs/guides/field-types#${anchorOf(titleOf(name))})`

function chapterOf({ name, schema, forms, operators: allowed, sorted, upsert }: Sample): string {
  const note = fieldTypeNotes[name]
  return [
    `## ${titleOf(name)}`,
    `${note.use} ${note.accepts}`,
    `Declared as:\n\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``,
    tableOf(
      ['Value in', 'Value out'],
      forms.map(({ sent, returned }) => [inCell(sent), inCell(returned)]),
    ),
    `**Operators:** ${allowed.map(operatorText).join(', ')}.`,
    `**Sort order:** ${note.order}${sorted === null ? '' : ' Empty values come last.'}`,
    `**Merge strategy:** ${note.merge}`,
    `An upsert of ${inCell(upsert.sent)} over ${inCell(upsert.stored)} returns ${inCell(upsert.returned)}.`,
  ].join('\n\n')
}

const overview = tableOf(
  ['Type', 'Use', 'Example'],
  fieldTypeSamples.map(({ name, forms }) => [fieldTypeLink(name), fieldTypeNotes[name].use, inCell(forms[0]?.sent)]),
)

/** The page *Field types*: every type with values that a test has sent. */
export const fieldTypesPage = `# Field types

A field has one of ${fieldTypeSamples.length} types, named by \`xSvcType\` in its schema. The type decides which values
the field accepts, and how they are returned, compared, sorted and merged. \`null\` clears any field that is not
required.

For each type, this page shows values as you send them and as they are returned, the operators that filters can use
(with their short names), the sort order, and the merge strategy: what happens if a record already has a value.

${overview}

To add a field, see [custom fields](/docs/guides/change-schemas). The fields of the built-in objects are listed in
[standard objects](/docs/guides/standard-objects).

${fieldTypeSamples.map(chapterOf).join('\n\n')}`
