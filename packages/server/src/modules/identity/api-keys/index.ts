export { KeyAuthenticator } from './authenticate.ts'
export { apiKeyHandlers } from './handlers.ts'
export { looksLikeKey } from './secrets.ts'
export {
  deleteAllKeysOfUser,
  deleteKey,
  deleteKeyOfUser,
  deleteKeysOfUser,
  findKey,
  listKeysOfUser,
  listKeysOfWorkspace,
} from './store.ts'
