import { keyedVerification } from '../../engine/verification/keyed.ts'
import { exportJobType } from './job-type.ts'
import { listOpenExports } from './store.ts'

/** Verifies that exports go on. */
export const exportJobVerification = keyedVerification({
  name: 'Exports without a job',
  kind: exportJobType,
  list: listOpenExports,
  payloadOf: ({ id }) => ({ export_id: id }),
})
