import type { RecordResource } from '@kontor/contract'
import { isList, isRecord, isString, memberOf } from '../lib/guards.ts'
import { asData } from './for-models.ts'
import { namesOf, recordLines, recordText } from './records.ts'
import { tableLines } from './table.ts'
import { namedText, plainText, titleOf } from './value.ts'

/** Writes the answer of a read as Markdown: a table of what it lists, or one thing field by field. */
export function answerText(body: unknown): string {
  const data = memberOf(body, 'data')
  const total = memberOf(memberOf(body, 'meta'), 'total_records')
  const next = memberOf(memberOf(body, 'links'), 'next')
  return [
    ...(total === undefined ? [] : [`${plainText(total)} in all.`]),
    asData(dataText(data, body)),
    ...(isString(next) ? [`Next page: ${next}`] : []),
  ].join('\n\n')
}

function dataText(data: unknown, body: unknown): string {
  if (isList(data)) {
    if (data.length === 0) return 'None.'
    if (data.every(isResource)) return resourcesText(data)
    if (data.every(isAggregate)) return aggregatesText(data)
  }
  return isResource(data) ? oneText(data) : `\`\`\`json\n${JSON.stringify(body)}\n\`\`\``
}

type Resource = Pick<RecordResource, 'id' | 'type' | 'attributes' | 'relationships'>

const isResource = (value: unknown): value is Omit<Resource, 'relationships'> & Partial<Resource> =>
  isRecord(value) && isString(value['id']) && isRecord(value['attributes'])

const asRecord = (one: Omit<Resource, 'relationships'> & Partial<Resource>): Resource => ({ relationships: {}, ...one })

/** The attributes that any of some resources has a value for; those of the system come last, where they are shown. */
const filledFields = (resources: readonly Resource[]): string[] => [
  ...new Set(
    resources.flatMap(({ attributes }) =>
      Object.keys(attributes).filter((name) => !name.startsWith('_') && plainText(attributes[name], 0) !== ''),
    ),
  ),
]

function resourcesText(given: readonly Parameters<typeof asRecord>[0][]): string {
  const resources = given.map(asRecord)
  return recordLines(
    resources,
    filledFields(resources),
    namesOf(resources, () => undefined),
  ).join('\n')
}

function oneText(given: Parameters<typeof asRecord>[0]): string {
  const one = asRecord(given)
  const linked = Object.keys(one.relationships).filter((name) => !Object.hasOwn(one.attributes, name))
  const fields = [...Object.keys(one.attributes).filter((name) => name !== '_id'), ...linked]
  const text = recordText(
    one,
    fields,
    namesOf([one], () => undefined),
  )
  return `# ${titleOf(one.attributes) ?? one.type}\n\n- id: ${one.id}\n${text}`
}

type Aggregate = {
  readonly groups: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string | null>>
  readonly measures: Readonly<Record<string, unknown>>
}

const isAggregate = (value: unknown): value is Aggregate => memberOf(value, 'type') === 'aggregate'

/** Writes the groups of an aggregate as a table. */
export function aggregatesText(rows: readonly Aggregate[]): string {
  const [first] = rows
  const [groups, measures] = [Object.keys(first?.groups ?? {}), Object.keys(first?.measures ?? {})]
  const cells = rows.map((row) => [
    ...groups.map((field) => namedText(row.groups[field], () => row.labels[field] ?? undefined) || '(none)'),
    ...measures.map((measure) => plainText(row.measures[measure])),
  ])
  return tableLines([...groups, ...measures], cells).join('\n')
}
