// Package pages puts the pages of the console together. It is the only one that knows them all.
package pages
