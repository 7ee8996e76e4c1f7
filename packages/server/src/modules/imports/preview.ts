import type { ImportAmbiguity, ImportPreview, ImportPreviewBody, ImportPreviewRow } from '@kontor/contract'
import { rowReason, type MapOption, type NotationGuess } from '@kontor/contract/cells'
import type { Actor } from '../../kernel/actor.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined } from '../../lib/guards.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { documentsOf, trialMapping } from './mapping.ts'
import { previewInPool } from './read-in-pool.ts'
import type { FilePreview, TrialMapping } from './reading/preview.ts'
import type { ReadRow } from './reading/map-rows.ts'
import { fitting, readUpload, type UploadContext } from './start.ts'
import type { WindowServices } from './window.ts'
import { bulkInput, bulkResults, type BulkResults } from './bulk.ts'
import { LinkedRecords } from './linked.ts'
import { linkRows } from './write-links.ts'

export type PreviewServices = WindowServices & {
  readonly actAs: (actor: Actor, requestId: string) => InProcessCall
}

/** Shows the first rows of an upload as they would be stored; writes nothing. */
export async function previewImport(
  ctx: UploadContext,
  services: PreviewServices,
  body: ImportPreviewBody,
): Promise<ImportPreview> {
  const { object, upload_id: _id, format, delimiter: _delimiter, encoding: _encoding, sheet: _sheet, ...options } = body
  const { workspaceId } = ctx.workspace
  const documents = documentsOf(await workspaceSchemas(ctx))
  const { found } = await readUpload(ctx, services, body, (beginning) =>
    fitting(ctx, async () => {
      const trial = trialMapping(documents, object, options)
      const read = await previewInPool(services.pool, workspaceId, { beginning, trial })
      return 'fault' in read ? read : { ...read, links: trial.links }
    }),
  )
  const { preview, links } = found
  const { shape, maps, matchOn, guess } = preview
  const mapping = maps.map(({ source, field, part }) => ({ source, field: targetOf({ field, part }) }))
  const dates = options.dates ?? guess.dates
  const decimal = options.decimal ?? guess.decimal
  const call = services.actAs(ctx.actor, ctx.requestId)
  const target = { object, options: { ...options, mapping, match_on: matchOn } }
  return {
    object,
    format,
    encoding: shape.encoding,
    delimiter: shape.delimiter,
    sheet: shape.sheet?.sheet ?? null,
    sheets: [...(shape.sheet?.sheets ?? [])],
    dates,
    decimal,
    columns: columnsOf(preview),
    mapping,
    match_on: matchOn ?? null,
    ambiguities: guess.unclear.filter(({ option }) => options[option] === undefined).map(presentAmbiguity),
    rows: await rehearse(
      { call, slug: ctx.workspace.slug, target, links, createMissing: options.create_missing },
      preview.rows,
    ),
  }
}

const targetOf = ({ field, part }: Pick<MapOption, 'field' | 'part'>): string =>
  part === undefined ? field : `${field}.${part}`

/** The columns with what they fill; a column may be in the text of several sources. */
const columnsOf = ({ shape, samples, maps }: FilePreview): ImportPreview['columns'] =>
  shape.header.map((name, column) => ({
    name,
    samples: [...(samples[column] ?? [])],
    fields: maps
      .filter(({ source }) => source.trim() === name || source.includes(`{${name}}`))
      .map((map) => targetOf(map)),
  }))

const presentAmbiguity = ({ option, values, columns }: NotationGuess['unclear'][number]): ImportAmbiguity => ({
  columns: [...columns],
  option,
  values: [...values],
  detail:
    option === 'dates'
      ? 'The order of day and month is ambiguous: send "dates": "dmy" or "mdy".'
      : 'A mark before three digits can separate decimals or thousands: send "decimal": "." or ",".',
})

type Rehearsal = {
  readonly call: InProcessCall
  readonly slug: string
  readonly target: Parameters<typeof bulkInput>[1]
  readonly links: TrialMapping['links']
  readonly createMissing: boolean
}

/** Writes the rows in a dry run. */
async function rehearse(
  { call, slug, target, links, createMissing: creates }: Rehearsal,
  rows: readonly ReadRow[],
): Promise<ImportPreviewRow[]> {
  const ready = rows.flatMap((row) => ('attributes' in row ? [row] : []))
  if (ready.length === 0) return rows.map((row) => ({ line: row.line, ...rejected('reason' in row ? row.reason : '') }))
  const country = target.options.default_country
  const dry = { workspace: slug, isDryRun: true, silent: true }
  const linked = new LinkedRecords(call, { ...dry, country, creates })
  if (links !== undefined) {
    const { relationship, other } = links
    const ends = { ...dry, object: target.object, relationship, other: other.title, createMissing: creates }
    const refused = await linkRows(call, ends, linked, ready)
    return presentRows(rows, new Map(ready.map((row, index) => [row, presentLink(refused.get(index))])))
  }
  if (creates) await linked.ensure(ready)
  const data = creates ? ready.map((row) => ({ attributes: linked.attributesOf(row) })) : ready
  const answer = bulkResults(await call('records.createMany', { ...bulkInput(slug, target, data), dry_run: true }))
  return presentRows(rows, new Map(ready.map((row, index) => [row, presentResult(answer, index)])))
}

const presentRows = (rows: readonly ReadRow[], results: ReadonlyMap<ReadRow, Outcome>): ImportPreviewRow[] =>
  rows.map((row): ImportPreviewRow => {
    const { line } = row
    return 'reason' in row ? { line, ...rejected(row.reason) } : { line, ...defined(results.get(row)) }
  })

const presentLink = (reason: string | undefined): Outcome =>
  reason === undefined ? { outcome: 'created', record_id: null, attributes: null, reason: null } : rejected(reason)

type Outcome = Omit<ImportPreviewRow, 'line'>

const rejected = (reason: string): Outcome => ({ outcome: 'rejected', record_id: null, attributes: null, reason })

function presentResult({ results, meta }: BulkResults, index: number): Outcome {
  const { status, data, errors } = defined(results[index])
  if (data === undefined) return rejected((errors ?? []).map(rowReason).join(' '))
  const attributes = Object.fromEntries(Object.entries(data.attributes).filter(([name]) => !name.startsWith('_')))
  if (status === 201) return { outcome: 'created', record_id: null, attributes, reason: null }
  const isChanged = (meta.diff ?? []).some(({ record_id }) => record_id === data.id)
  return { outcome: isChanged ? 'updated' : 'unchanged', record_id: data.id, attributes, reason: null }
}
