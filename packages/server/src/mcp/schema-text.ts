import type { ObjectSchemaDocument } from '@kontor/contract'
import { table } from '../markdown/index.ts'
import { primaryOf } from './schemas.ts'

type Field = ObjectSchemaDocument['properties'][string]

/** Options of a select that are listed; beyond them the API names the allowed ones where a value is wrong. */
const optionsShownMax = 50

/** Characters of what is said of a field, and of the fields of an object. */
const notesCharactersMax = 2000

/** Lists the objects of a workspace as Markdown. */
export const objectsText = (schemas: readonly { readonly attributes: ObjectSchemaDocument }[]): string =>
  table(
    ['object', 'label', 'fields'],
    schemas.map(({ attributes: { title, xSvcLabel, properties } }) => [
      title,
      xSvcLabel.plural,
      Object.keys(properties).join(', '),
    ]),
    notesCharactersMax,
  )

/** Writes the schema of an object as Markdown. */
export function schemaText(schema: ObjectSchemaDocument): string {
  const required = new Set(schema.required)
  const fields = table(
    ['field', 'type', 'notes'],
    Object.entries(schema.properties).map(([name, field]) => [name, typeText(field), notes(name, field, required)]),
    notesCharactersMax,
  )
  const description = schema.xSvcAIDescription ?? schema.description
  return [
    `# ${schema.title} (${schema.xSvcLabel.plural})`,
    ...(description === undefined ? [] : [description]),
    `Named by \`${primaryOf(schema) ?? '_id'}\`.${schema.readOnly === true ? ' Read only.' : ''}`,
    fields,
    'Also: `_id`, `_created_at`, `_created_by`, `_updated_at`, `_updated_by`.',
  ].join('\n\n')
}

function typeText({ xSvcType, xSvcRelationship: relationship, type }: Field): string {
  if (relationship !== undefined) return `${relationship.kind} ${relationship.entity}`
  return (
    xSvcType ??
    [type]
      .flat()
      .filter((one) => one !== 'null')
      .join(' or ')
  )
}

const shapes: Readonly<Partial<Record<string, string>>> = {
  person_name: '{"first_name", "last_name"}',
  email_addresses: '{"items": ["a@example.com"]}',
  phone_numbers: '{"items": ["+49…"]}',
  domains: '{"items": ["example.com"]}',
  labels: '{"items": ["…"]}',
  multi_select: '{"items": ["…"]}',
  participants: '{"items": [{"email", "name"}]}',
  rich_text: 'text, or blocks',
  date: 'YYYY-MM-DD',
  timestamp: 'ISO 8601',
}

function notes(name: string, field: Field, required: ReadonlySet<string>): string {
  const options = field.enum?.slice(0, optionsShownMax).map(String).join(', ')
  return [
    field.xSvcPrimary === true && 'primary',
    field.xSvcUnique === true && 'unique',
    required.has(name) && 'required',
    field.readOnly === true && 'read only',
    shapes[field.xSvcType ?? ''],
    options !== undefined && `options: ${options}`,
    field.description,
  ]
    .filter(Boolean)
    .join('; ')
}
