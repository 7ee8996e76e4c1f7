export { authenticator } from './authenticate.ts'
export { Issuer } from './issuer.ts'
export { TokenAuthenticator, type OutsideIssuer } from './tokens.ts'
