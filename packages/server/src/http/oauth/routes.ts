/** The paths below `AUTH_URL`. */
export const routes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  introspection: '/oauth2/introspect',
  deviceAuthorization: '/oauth2/device_authorization',
  /** Where a person types the code that a device shows, and says yes or no. */
  device: '/oauth2/device',
  deviceAnswer: '/oauth2/device/answer',
  registration: '/oauth2/register',
  userinfo: '/oauth2/userinfo',
  jwks: '/oauth2/jwks',
  logout: '/oauth2/logout',
  logoutAnswer: '/oauth2/logout/answer',
  /** Where a person signs in and says yes or no, in the middle of an authorization. */
  interaction: '/oauth2/connect',
  openidDiscovery: '/.well-known/openid-configuration',
  oauthDiscovery: '/.well-known/oauth-authorization-server',
  /** Metadata of the resource and its issuer (RFC 9728); the path of `BASE_URL` follows it. */
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const

/** Returns whether a URL is one that says by itself to which origins it answers. */
export const isOAuth = (url: string): boolean =>
  /^[^?]*\/(oauth2\/|\.well-known\/(openid-configuration|oauth-authorization-server|oauth-protected-resource))/.test(
    url,
  )
