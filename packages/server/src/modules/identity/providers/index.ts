export {
  deleteIdentities,
  findIdentityOwner,
  isSubject,
  linkIdentity,
  listIdentities,
  type ProviderIdentity,
} from './identities.ts'
export { Providers } from './providers.ts'
