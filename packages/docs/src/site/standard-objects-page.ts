import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldTypeName } from '@kontor/contract'
import { fieldTypeLink, fieldTypeSamples } from './field-types-page.ts'
import { inCell, tableOf } from './tables.ts'

type StandardField = {
  readonly name: string
  readonly title: string
  readonly type: FieldTypeName
  readonly required: boolean
  readonly unique: boolean
  readonly readOnly: boolean
  readonly options?: readonly string[]
  readonly relationship?: { readonly kind: string; readonly entity: string; readonly field: string }
  readonly example?: unknown
}

/** An object that every workspace has; `tests/guides/standard-objects.test.ts` writes the file. */
type StandardObject = {
  readonly name: string
  readonly label: { readonly singular: string; readonly plural: string }
  readonly access: string
  readonly readOnly: boolean
  readonly fields: readonly StandardField[]
}

const objects: readonly StandardObject[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'standard-objects.json'), 'utf8'),
) as readonly StandardObject[]

/** The purpose of each object, with the words that other CRMs use for it. */
const uses: Readonly<Record<string, string>> = {
  person: 'A contact or lead: someone you know, with e-mail addresses, phone numbers and an employer.',
  company: 'An account: an organisation, matched by its domains.',
  deal: 'A sale in progress: an opportunity, with an amount and a stage of the sales pipeline.',
  task: 'Something to do, with a due date and an assignee, linked to a person, a company, a deal or a meeting.',
  meeting: 'A calendar event with participants, notes and recordings.',
  message: 'An e-mail of a connected mailbox. Read-only.',
  user: 'A member of the workspace as a record, so that references to users can be included and filtered. Read-only.',
}

const access: Readonly<Record<string, string>> = {
  edit: 'Members can read and change all records.',
  view: 'Members can read all records.',
  comment: 'Members can read all records and comment on them.',
  none: 'Members see only records that are theirs or shared with them.',
}

const isMany = (field: StandardField): boolean => (field.relationship?.kind ?? '').endsWith('-to-many')

function typeOf({ type, relationship, options }: StandardField): string {
  const link = fieldTypeLink(type)
  if (relationship !== undefined) return `${link}, ${relationship.kind} to \`${relationship.entity}\``
  return options === undefined ? link : `${link}: ${options.map((option) => `\`${option}\``).join(', ')}`
}

function exampleOf(field: StandardField): string {
  if (isMany(field)) return `see \`…/relationships/${field.name}\``
  const ofType = fieldTypeSamples.find(({ name }) => name === field.type)?.forms[0]?.returned
  return inCell(field.example ?? field.options?.[0] ?? ofType)
}

const rowOf = (field: StandardField): string[] => [
  `\`${field.name}\``,
  `${typeOf(field)}${field.readOnly ? ', read-only' : ''}`,
  field.required ? 'yes' : '',
  field.unique ? 'yes' : '',
  exampleOf(field),
]

const chapterOf = ({ name, label, fields, access: level }: StandardObject): string =>
  `## ${label.plural}: ${name}

${uses[name] ?? ''} ${access[level] ?? ''} The path is \`/objects/${name}\`.

${tableOf(['Field', 'Type', 'Required', 'Unique', 'Example'], fields.map(rowOf))}`

/** The page *Standard objects*: the fields of every built-in object. */
export const standardObjectsPage = `# Standard objects

Every workspace starts with these objects. You can add fields to them, change options such as the pipeline stages of a
deal, and create [custom objects](/docs/guides/change-schemas) beside them. \`GET …/schemas/objects/{object}\` returns
the fields as they are in your workspace.

| Object | In other words |
| --- | --- |
${objects.map(({ name }) => `| \`${name}\` | ${uses[name] ?? ''} |`).join('\n')}

Each record also has system fields, which you can read, filter and sort by, but not write: \`_id\`, \`_created_at\`,
\`_created_by\`, \`_updated_at\` and \`_updated_by\`.

In the tables below, the type links to the values that the field accepts. If a field is unique, no two records of the
object can have the same value in it. Admins can make any field unique or not: see [declare
fields](/docs/guides/change-schemas#declare-fields).

${objects.map(chapterOf).join('\n\n')}

## External ids

To keep the id that a record has in another system (an external id), add a text field with \`"xSvcUnique": true\` and
send its name as \`match_on\`: see [upserts](/docs/guides/write-records).`
