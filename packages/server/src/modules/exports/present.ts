import type { ExportResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import { keptMs } from './kept.ts'
import { extensionOf } from './start.ts'
import type { ExportRow } from './store.ts'

export const presentExport = (row: ExportRow): ExportResource =>
  resource('export', row.id, {
    _id: row.id,
    kind: row.kind,
    format: extensionOf(row.options),
    file_name: row.file_name,
    state: row.state,
    rows_done: row.rows_done,
    size_bytes: row.size_bytes,
    error: row.error,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    started_at: isoTimeOrNull(row.started_at),
    ended_at: isoTimeOrNull(row.ended_at),
    expires_at: row.state === 'completed' && row.ended_at !== null ? isoTime(row.ended_at + keptMs) : null,
  })
