import { keyedVerification } from '../../engine/verification/keyed.ts'
import { importJobType } from './job-type.ts'
import { listOpenImports } from './store.ts'

/** Verifies that imports go on. One that begins to count its rows again writes none twice. */
export const importJobVerification = keyedVerification({
  name: 'Imports without a job',
  kind: importJobType,
  list: listOpenImports,
  payloadOf: ({ id, rows_total, shape: { start, line } }) => ({
    import_id: id,
    counting: rows_total === null ? { position: start, line, rows: 0 } : null,
  }),
})
