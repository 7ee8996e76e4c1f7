import type { ImportRevertResource } from '@kontor/contract'
import { resource } from '../../../kernel/resource.ts'
import { presentProgress } from '../../reverting/index.ts'
import type { RevertRow } from './store.ts'

export const presentRevert = (row: RevertRow): ImportRevertResource =>
  resource('import-revert', row.import_id, {
    import_id: row.import_id,
    changes: row.events_seen,
    ...presentProgress(row),
  })
