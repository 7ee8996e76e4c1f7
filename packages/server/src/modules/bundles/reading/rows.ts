import type { CopiedTable } from '../../../db/copied-tables.ts'
import type { Row } from '../../../db/executor.ts'
import { isRecord, parsedJson, isString } from '../../../lib/guards.ts'
import { tableEntry, type Manifest } from '../manifest.ts'
import type { ArchiveReader } from './archive.ts'
import { BundleFault } from './bundle-fault.ts'
import { dialectUrl, fieldsMax, objectSchemaDocument } from '@kontor/contract'
import { z } from 'zod'
import { kindOf } from '../../../db/column-kinds.ts'
import { tables, type ColumnKind, type TableName } from '../../../db/columns.ts'
import { isId } from '../../../kernel/ids.ts'
import { isStorable } from '../../../lib/texts.ts'

type TableContent = Manifest['tables'][number]

/**
 * Reads the rows of a table, each checked by its columns. `rewrite` changes the text of a line, where ids become
 * others.
 */
export async function* rowsOf(
  archive: ArchiveReader,
  copied: CopiedTable,
  content: TableContent,
  rewrite?: (line: string) => string,
): AsyncGenerator<Row> {
  const name = tableEntry(copied.name)
  let rows = 0
  for await (const { line, number } of linesOf(name, archive.read(name, content))) {
    const row = parsedJson(rewrite === undefined ? line : rewrite(line))
    const fault = isRecord(row) ? faultOf(copied, row) : 'It is not a JSON object.'
    if (fault !== undefined || !isRecord(row)) throw new BundleFault(`${name}, line ${number}: ${fault}`)
    rows++
    yield row
  }
  if (rows !== content.rows)
    throw new BundleFault(`${name} has ${rows} rows instead of ${content.rows}: the bundle is damaged.`)
}

const faultOf = (copied: CopiedTable, row: Row): string | undefined =>
  rowFault(copied, row) ?? (copied.table === 'schema_version' ? schemaFault(row) : undefined)

/** Bytes of one line: a record may have a mebibyte, a version of a workflow or a layout some more. */
const lineBytesMax = 16 * 2 ** 20

const lineBreak = 10

/** The lines of an entry, each with its number. */
async function* linesOf(
  name: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: string; readonly number: number }> {
  let begun: Buffer[] = []
  let bytes = 0
  let number = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, from)) {
      yield { line: Buffer.concat([...begun, chunk.subarray(from, at)]).toString(), number: ++number }
      begun = []
      bytes = 0
      from = at + 1
    }
    if (from === chunk.length) continue
    begun.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > lineBytesMax) throw new BundleFault(`${name}: line ${number + 1} has more than ${lineBytesMax} bytes.`)
  }
  if (begun.length > 0) throw new BundleFault(`${name}: line ${number + 1} has no end.`)
}

const key = z.string().min(1).max(200)

const link = z.strictObject({ relationship: z.string().min(1).max(400), end: z.enum(['from_id', 'to_id']) })

const fieldKey = z.strictObject({ key, unique: key.optional(), index: key.optional(), link: link.optional() })

/** The names under which values are stored; the first versions of objects have none of their own. */
const keys = z.union([z.strictObject({}), z.strictObject({ object: key, fields: z.record(z.string(), fieldKey) })])

const schema = z.object({
  document: objectSchemaDocument.refine(
    ({ properties }) => Object.keys(properties).length <= fieldsMax,
    `An object has at most ${fieldsMax} fields.`,
  ),
  keys: keys.optional(),
})

/** Returns the fault of a schema that was read from a file: the server compiles what has the form of the contract. */
function schemaFault({ document, keys: names }: Row): string | undefined {
  // Both are replaced by those of the server.
  const whole = { ...(isRecord(document) && document), $schema: dialectUrl, $id: dialectUrl }
  const issue = schema.safeParse({ document: whole, keys: names ?? undefined }).error?.issues[0]
  return issue && `The schema is wrong at /${issue.path.join('/')}: ${issue.message}`
}

/** Milliseconds of the last instant that JavaScript knows. */
const timeMax = 8.64e15

/** Returns the fault of a row that was read from a file: a column that is unknown, missing or of another type. */
function rowFault({ table, columns }: CopiedTable, row: Row): string | undefined {
  const unknown = Object.keys(row).find((name) => !columns.includes(name))
  if (unknown !== undefined)
    return (
      `The column ${JSON.stringify(unknown.slice(0, 100))} is unknown: ` +
      'a newer version of Kontor may have written it.'
    )
  for (const column of columns) {
    const fault = valueFault(table, column, row[column])
    if (fault !== undefined) return `"${column}" ${fault}.`
  }
  return undefined
}

type Check = { readonly accepts: (value: unknown) => boolean; readonly rule: string }

const json: Check = {
  accepts: (value) => isStorable(value),
  rule: 'has texts or numbers that cannot be stored, or is nested too deeply',
}

/** The values of each kind of column. */
const checks: Readonly<Record<ColumnKind, Check>> = {
  uuid: { accepts: (value) => isString(value) && isId(value), rule: 'must be an id' },
  text: { accepts: (value) => isString(value) && isStorable(value), rule: 'must be a text that can be stored' },
  integer: { accepts: Number.isSafeInteger, rule: 'must be a whole number' },
  timestamp: {
    accepts: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= timeMax,
    rule: 'must be milliseconds',
  },
  float: { accepts: Number.isFinite, rule: 'must be a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', rule: 'must be true or false' },
  json,
  document: json,
  integers: json,
}

function valueFault(table: TableName, column: string, value: unknown): string | undefined {
  const type = typeOf(table, column)
  if (value === undefined) return /[?=]$/.test(type) ? undefined : 'is missing'
  if (value === null) return type.endsWith('?') ? undefined : 'must not be null'
  const { accepts, rule } = checks[kindOf(table, column)]
  return accepts(value) ? undefined : rule
}

const typeOf = (table: TableName, column: string): string =>
  String(Object.entries(tables[table]).find(([name]) => name === column)?.[1])
