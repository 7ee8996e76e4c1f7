export { userHandlers } from './handlers.ts'
export { findMember, findUser, findUserByEmail, insertMembership, insertUser, type UserRow } from './store.ts'
