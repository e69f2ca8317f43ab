import { describe, expect, it } from "vitest"
import { withSection } from "../src/changelog.ts"
import { linksOut } from "../src/links.ts"
import { offersProvenance } from "../src/publish.ts"
import { repositoryOf } from "../src/repository.ts"

describe("a version's section", () => {
  const changelog = "# Changelog\n\nNewest first.\n\n## 1.0.0\n\n- The first release.\n"
  const change = (type: string, summary: string) => ({ summary, releases: [{ type }] })

  it("precedes earlier sections, lists breaking changes first, and preserves the texts", () => {
    const status = {
      changesets: [change("patch", "Fixes."), change("major", "Breaks.\nBefore: a.\n"), change("minor", "Adds.")],
      releases: [{ name: "petstore", newVersion: "2.0.0" }],
    }
    expect(withSection(changelog, status)).toBe(
      "# Changelog\n\nNewest first.\n\n## 2.0.0\n\n- Breaks.\n  Before: a.\n- Adds.\n- Fixes.\n\n## 1.0.0\n\n- The first release.\n",
    )
  })

  it("cannot be created if nothing changed", () => {
    expect(() => withSection(changelog, { changesets: [], releases: [] })).toThrow("npm run changeset")
  })
})

describe("a manifest's repository", () => {
  it.each([
    "https://git.example.org/team/petstore.git",
    "https://user:secret@git.example.org/team/petstore",
    "git@git.example.org:team/petstore.git",
    "ssh://git@git.example.org:2222/team/petstore.git",
  ])("is the public URL for the remote %s", (remote) => {
    expect(repositoryOf(remote)).toBe("git+https://git.example.org/team/petstore.git")
  })

  it.each(["", "/srv/git/petstore", "../petstore.git", "file:///srv/git/petstore", "git@localhost:petstore.git"])(
    'is missing for the local remote "%s"',
    (remote) => {
      expect(repositoryOf(remote)).toBeUndefined()
    },
  )
})

it("a release requests provenance only in jobs that can get an identity token", () => {
  expect(offersProvenance({})).toBe(false)
  expect(offersProvenance({ GITHUB_ACTIONS: "true" })).toBe(false)
  expect(offersProvenance({ ACTIONS_ID_TOKEN_REQUEST_URL: "https://token.example" })).toBe(true)
  expect(offersProvenance({ GITLAB_CI: "true", SIGSTORE_ID_TOKEN: "token" })).toBe(true)
})

it("linksOut finds the links of a README that lead out of the package", () => {
  const readme = '[a](../core/README.md) [b](https://example.org/x) [c](#install) [d](docs/stability.md "title")'
  expect(linksOut(readme)).toEqual(["../core/README.md", "docs/stability.md"])
})
