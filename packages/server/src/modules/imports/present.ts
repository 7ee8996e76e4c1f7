import type { ImportResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import type { ImportRow } from './store.ts'

export const presentImport = (row: ImportRow): ImportResource =>
  resource('import', row.id, {
    _id: row.id,
    object: row.object,
    file_name: row.file_name,
    format: row.shape.format,
    encoding: row.shape.encoding,
    delimiter: row.shape.delimiter,
    sheet: row.shape.sheet?.sheet ?? null,
    mapping: row.options.mapping ?? null,
    relationship: row.options.relationship ?? null,
    match_on: row.options.match_on ?? null,
    dry_run: row.options.dry_run,
    state: row.state,
    rows_total: row.rows_total,
    rows_done: row.rows_done,
    created: row.created,
    updated: row.updated,
    unchanged: row.unchanged,
    rejected: row.rejected,
    created_linked: row.created_linked,
    error: row.error,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    started_at: isoTimeOrNull(row.started_at),
    ended_at: isoTimeOrNull(row.ended_at),
  })
