export {
  deleteIdentities,
  findIdentityOwner,
  isSubject,
  linkIdentity,
  listIdentities,
  type ProviderIdentity,
} from './identities.ts'
export { Providers, type SignInProvider } from './providers.ts'
