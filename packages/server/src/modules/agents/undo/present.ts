import type { AgentUndoResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { resource } from '../../../kernel/resource.ts'
import type { UndoRow } from './store.ts'

export const presentUndo = (row: UndoRow): AgentUndoResource =>
  resource('agent-undo', row.run_id, {
    run_id: row.run_id,
    state: row.undo_state,
    events: row.events_seen,
    reverted: row.events_reverted,
    conflict_count: row.conflict_count,
    conflicts: [...row.conflicts],
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    ended_at: isoTimeOrNull(row.ended_at),
  })
