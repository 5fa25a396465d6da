//go:build purego

package aoso

const pureGo = true
