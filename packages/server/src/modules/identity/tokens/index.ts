export { authenticator } from './authenticate.ts'
export { Issuer } from './issuer.ts'
export { rotateSigningKey, tendSigningKeys } from './signing-keys.ts'
export { TokenAuthenticator } from './tokens.ts'
