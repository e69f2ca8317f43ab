/** A manifest's `repository`, derived from the address of a git remote, or `undefined` if only this machine can read it. */
export const repositoryOf = (remote: string): string | undefined => {
  const [, host, path] =
    /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[\w.-]+@)([\w.-]+\.\w+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(remote) ?? []
  return host === undefined || path === undefined ? undefined : `git+https://${host}/${path}.git`
}
