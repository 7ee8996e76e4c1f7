export { userHandlers, type MemberChanges } from './handlers.ts'
export { presence } from './presence.ts'
export { deleteMembership, emailKey, findMember, findUser, findUserByEmail, insertMembership, insertUser, lockAdminsAnd, updateRole, type MemberRow, type UserRow } from './store.ts'
