import { schemas, type ObjectSchemaDocument } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { readJsonOption } from '../json-option.ts'
import type { StartedIn } from '../started-in.ts'
import { CellFault, type CellText, type Writer, fieldWriter } from '@kontor/contract/cells'

export type AttributeOptions = StartedIn & {
  /** `field=value` or `field.part=value`. */
  readonly set?: readonly string[]
  /** Fields to empty. */
  readonly clear?: readonly string[]
  /** Attributes as JSON, `@file`, or `-` for stdin. */
  readonly data?: string
}

/** Items of a collection stand in one value, as in a CSV file. */
const separator = ','

/** The attributes that the options say; texts become values as the fields of the object take them. */
export async function readAttributes(
  { set = [], clear = [], data, startedIn }: AttributeOptions,
  object: string,
  { rest, workspace }: Connected,
): Promise<Record<string, unknown>> {
  if (set.length === 0 && clear.length === 0 && data === undefined)
    throw new UsageError("Give the values to write: --set 'field=value', or --data with attributes as JSON.")
  const given = data === undefined ? {} : await parseData(data, { startedIn })
  if (set.length === 0 && clear.length === 0) return given
  const { body } = await rest.call(schemas.get, { workspace, object })
  return {
    ...given,
    ...attributesOf(set, body.data.attributes),
    ...Object.fromEntries(clear.map((name) => [name, null])),
  }
}

async function parseData(data: string, place: StartedIn): Promise<Record<string, unknown>> {
  const parsed = await readJsonOption(data, place)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  throw new UsageError(`--data takes one JSON object of attributes, such as '{"job_title":"Senator"}'.`)
}

/** Names the command that adds links, which are written after the record. */
const linksHint = ({ title, properties }: ObjectSchemaDocument, name: string): string =>
  `Add them to a record that exists: kontor call relationships.add object=${title} id=… relationship=${name} ` +
  `--data '{"data":[{"type":"${properties[name]?.xSvcRelationship?.entity ?? ''}","id":"…"}]}'`

type Target = { readonly writer: Writer; readonly given: CellText[] }

/** Throws one UsageError that names everything that does not fit. */
function attributesOf(set: readonly string[], schema: ObjectSchemaDocument): Record<string, unknown> {
  const faults: string[] = []
  const targets = new Map<string, Target>()
  for (const option of set) {
    const [, name, part, value] = /^([^=.]+)(?:\.([^=.]+))?=(.*)$/s.exec(option) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`"${option}" sets nothing; write 'field=value' or 'field.part=value'.`)
    const writer = fieldWriter(schema, name, part, faults, linksHint)
    const target = targets.get(name)
    if (target !== undefined && target.given.some((one) => one.part === part))
      faults.push(`"${name}${part === undefined ? '' : `.${part}`}" is set twice.`)
    else if (target !== undefined) target.given.push({ part, text: value })
    else if (writer !== undefined) targets.set(name, { writer, given: [{ part, text: value }] })
  }
  const values = Object.fromEntries(
    [...targets].map(([name, { writer, given }]) => [name, valueOf(name, writer, given, faults)]),
  )
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
  return values
}

function valueOf(name: string, writer: Writer, given: readonly CellText[], faults: string[]): unknown {
  try {
    return writer.write(given, { separator })
  } catch (error) {
    if (!(error instanceof CellFault)) throw error
    return void faults.push(`${name}: ${error.message}`)
  }
}
