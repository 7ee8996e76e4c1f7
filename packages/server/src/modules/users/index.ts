export { userHandlers } from './handlers.ts'
export { presence } from './presence.ts'
export { findMember, findUser, findUserByEmail, insertMembership, insertUser, lockMembers } from './store.ts'
