export { userHandlers, type MemberChanges } from './handlers.ts'
export { presence } from './presence.ts'
export { requireMayGive } from './rules.ts'
export {
  deleteMembership,
  emailKey,
  findMember,
  findUser,
  findUserByEmail,
  insertMembership,
  insertUser,
  listAdminIds,
  listMemberNames,
  listMembershipsOfUser,
  membersIn,
  lockAdminsAnd,
  lockMembers,
  lockRole,
  lockUser,
  updateRole,
  updateUser,
  type MemberRow,
  type UserRow,
} from './store.ts'
