export { KeyAuthenticator } from './authenticate.ts'
export { apiKeyHandlers } from './handlers.ts'
export { looksLikeKey } from './secrets.ts'
export { deleteKeyOfUser, deleteKeysOfUser, listKeysOfUser } from './store.ts'
