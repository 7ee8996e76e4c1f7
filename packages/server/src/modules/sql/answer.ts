import type { Output, sql, SqlBody } from '@kontor/contract'
import { NumberOutOfRange } from '../../db/errors.ts'
import { explaining } from '../../db/explaining.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { Answer, Chunks, LongAnswer, WorkspaceReadContext } from '../../kernel/implement.ts'
import { csvLines } from '../../lib/csv-lines.ts'
import { isString } from '../../lib/guards.ts'
import { listObjects, objectAccess } from '../objects/index.ts'
import { visibleColumn } from '../filters/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { findSettings } from '../settings/index.ts'
import { parse, refusalFault, SqlRefusal } from '../sql-grammar/index.ts'
import { compileQuery, type CompiledQuery } from './compile.ts'
import { kindNames, type SqlKind } from './value.ts'

type SqlContext = WorkspaceReadContext<'unsupported_sql'>
type SqlAnswer = Output<typeof sql.query>
type Cell = SqlAnswer['data'][number][number]

/** Answers a SELECT over the records that the caller may read. */
export async function answerSql(ctx: SqlContext, body: SqlBody): Promise<SqlAnswer> {
  const { columns, query } = await refusing(ctx, body.sql, () => compiled(ctx, body))
  const { tx, explained } = explaining(ctx.tx)
  const { data, truncated } = await refusing(ctx, body.sql, async () => {
    const found = await tx.query<Readonly<Record<string, unknown>>>(() => query, { heavy: 'scan' })
    const rows = found.slice(0, body.limit)
    return {
      data: rows.map((row) => columns.map(({ kind }, at) => cellOf(kind, row[`c${at}`]))),
      truncated: found.length > body.limit,
    }
  })
  const plan = body.explain ? (await explained()).flatMap(({ steps }) => steps) : null
  return {
    data,
    meta: { columns: columns.map(({ name, kind }) => ({ name, type: kindNames[kind] })), truncated, plan },
  }
}

/** Writes the same as CSV; texts that a spreadsheet would read as a formula are guarded. */
export async function exportSql(
  ctx: SqlContext,
  body: Omit<SqlBody, 'explain'>,
): Promise<Answer<string> | LongAnswer<string>> {
  const { data, meta } = await answerSql(ctx, { ...body, explain: false })
  const text = csvLines([meta.columns.map(({ name }) => name), ...data])
  return ctx.takesChunks ? { chunks: chunksOf(text) } : { body: text }
}

async function* chunksOf(text: string): Chunks<string> {
  yield [text]
  return {}
}

async function compiled(ctx: SqlContext, { sql: text, limit }: Pick<SqlBody, 'sql' | 'limit'>): Promise<CompiledQuery> {
  const { workspaceId } = ctx.workspace
  const [objects, schemas, { time_zone: timeZone }] = await Promise.all([
    listObjects(ctx),
    workspaceSchemas(ctx),
    findSettings(ctx.tx, workspaceId),
  ])
  return compileQuery(await parse(text), {
    sql: ctx.tx.executor.sql,
    workspaceId,
    timeZone,
    now: ctx.now,
    rowsMax: limit,
    names: [...objects.keys()],
    find: (name) => {
      const object = objects.get(name)
      return object && objectAccess(ctx, object, 'read')
    },
    asSeen: (column) => visibleColumn(ctx, schemas, column),
  })
}

async function refusing<T>(ctx: SqlContext, text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NumberOutOfRange)
      throw ctx.fail('unsupported_sql', {
        detail: 'A number is too large to compute.',
        source: { pointer: '/sql' },
      })
    throw error instanceof SqlRefusal ? ctx.fail('unsupported_sql', refusalFault(text, error, '/sql')) : error
  }
}

/** A value as it is sent: numbers without the noise of floating point, times in ISO 8601. */
function cellOf(kind: SqlKind, value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (kind === 'flag') return value === true || value === 1
  if (kind === 'time') return isoTime(Number(value))
  if (kind !== 'number') return isString(value) ? value : null
  // SQLite computes on where Postgres fails.
  if (!Number.isFinite(Number(value))) throw new NumberOutOfRange('The number is infinite')
  return Number(Number(value).toPrecision(15))
}
