export { Passkeys } from './passkeys.ts'
export { deletePasskeys } from './store.ts'
