import type { ImportRevertResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { resource } from '../../../kernel/resource.ts'
import type { RevertRow } from './store.ts'

export const presentRevert = (row: RevertRow): ImportRevertResource =>
  resource('import-revert', row.import_id, {
    import_id: row.import_id,
    state: row.undo_state,
    changes: row.events_seen,
    reverted: row.events_reverted,
    conflict_count: row.conflict_count,
    conflicts: [...row.conflicts],
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    ended_at: isoTimeOrNull(row.ended_at),
  })
