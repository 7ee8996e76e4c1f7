export { addMember, memberChanges, renamePerson } from './service.ts'
