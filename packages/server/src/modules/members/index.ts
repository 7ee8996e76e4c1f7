export { addMember, memberChanges, projectMember } from './service.ts'
