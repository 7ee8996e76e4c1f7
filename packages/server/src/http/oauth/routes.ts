/** The paths below `AUTH_URL`. */
export const routes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  userinfo: '/oauth2/userinfo',
  jwks: '/oauth2/jwks',
  /** Where a person signs in and says yes or no, in the middle of an authorization. */
  interaction: '/oauth2/connect',
  openidDiscovery: '/.well-known/openid-configuration',
  oauthDiscovery: '/.well-known/oauth-authorization-server',
} as const

/** Whether a URL is one that says by itself to which origins it answers. */
export const isOAuth = (url: string): boolean =>
  /^[^?]*\/(oauth2\/|\.well-known\/(openid-configuration|oauth-authorization-server))/.test(url)
